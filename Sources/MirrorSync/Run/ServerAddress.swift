import Catalogue
import MirrorHTTP

/// The address of a partner's server, as a person writes it.
package enum ServerAddress {
    /// The base of the server in one spelling: scheme and host in lower case, an international host name in its ASCII form,
    /// with `/api/v1` where that is missing.
    ///
    /// - Throws: ``SyncError`` for what is no web address, or has a name or password in it. The message repeats none of it.
    package static func base(from address: String, of partner: String) throws(SyncError) -> String {
        // Wherever it stands: a password may hold a slash, and then ends behind what looks like the host.
        guard !address.contains("@") else {
            throw SyncError(
                .otherOrigin,
                "An address must not hold a name or password. Leave them out, and store them with: mirror login \(partner) --from URL --name NAME"
            )
        }
        guard let read = WebAddress(Router.base(from: address)) else {
            throw SyncError(
                .otherOrigin, "That is no web address. Give one such as https://example.org/api/v1.")
        }
        return read.text
    }
}
