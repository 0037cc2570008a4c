import Catalogue
import MirrorHTTP
import MirrorStore

/// Which server a mirror is of: remembered with the first sync, and not changed by accident.
package struct Origins: Sendable {
    let store: CatalogueStore
    let isNewOrigin: Bool
    /// The file of certificate authorities that was named for this run.
    var caFile: String?

    struct Settled: Sendable {
        let base: String
        /// Whether the host changed with an earlier run, and none was complete since.
        fileprivate(set) var isPending = false
        /// Whether the host changes with this run: what another server said vouches for nothing.
        fileprivate(set) var originChanged = false
        /// The file of the certificate authorities that vouch for this server; `nil` for the usual ones.
        fileprivate(set) var caFile: String?

        /// Whether nothing that is stored was confirmed by this server yet: everything is revalidated, nothing swept.
        var isNew: Bool { isPending || originChanged }

        /// Called once the server has answered as the partner: a mistyped address is not remembered.
        func remember(in store: CatalogueStore) throws {
            if originChanged {
                try store.forgetValidators()
                try store.setNewOrigin(true)
            }
            try store.setOrigin(base)
            try rememberCAFile(in: store)
        }

        func rememberCAFile(in store: CatalogueStore) throws {
            try store.setCAFile(caFile)
        }
    }

    /// The file of certificate authorities that a run uses: the one that was named for it, else the one that is remembered,
    /// which vouches for no other server.
    package static func caFile(named: String?, remembered: String?, originChanged: Bool) -> String? {
        named ?? (originChanged ? nil : remembered)
    }

    /// Whether an address that is named takes the place of the remembered one.
    ///
    /// - Throws: ``SyncError`` for what is no address.
    package static func originChanged(
        to address: String?, from remembered: String?, of partner: String, isNewOrigin: Bool
    ) throws -> Bool {
        guard isNewOrigin, let address, let remembered else { return false }
        return try ServerAddress.base(from: address, of: partner) != remembered
    }

    /// - Throws: ``SyncError`` if there is no origin, or another host was named without saying that this is meant.
    func settle(_ address: String?, for partner: String) throws -> Settled {
        var settled = try settledServer(address, for: partner)
        settled.caFile = Self.caFile(
            named: caFile, remembered: try store.caFile, originChanged: settled.originChanged)
        return settled
    }

    private func settledServer(_ address: String?, for partner: String) throws -> Settled {
        let remembered = try store.origin, isPending = try store.isNewOrigin
        if try store.isCatalogue {
            throw Self.noServer(of: partner)
        }
        guard let address else {
            guard let remembered else {
                throw Self.refused(
                    "Where is \(partner)? Name its server once: mirror sync \(partner) --from URL")
            }
            return Settled(base: remembered, isPending: isPending)
        }
        let base = try ServerAddress.base(from: address, of: partner)
        guard let remembered, let old = Self.host(of: remembered), let new = Self.host(of: base) else {
            return Settled(base: base)
        }
        // Another port or path is the same server, unless a person says otherwise.
        if old == new, !isNewOrigin || base == remembered {
            return Settled(base: base, isPending: isPending)
        }
        guard isNewOrigin else {
            throw Self.refused(
                "\(partner) is a mirror of \(old). To take it from \(new) from now on, add --new-origin.")
        }
        return Settled(base: base, originChanged: true)
    }

    /// Why a mirror that was made from a catalogue's files can't be synced or watched.
    static func noServer(of partner: String) -> SyncError {
        refused(
            "\(partner) was made by import, so there is no server to sync it from. Use mirror import, or choose another name."
        )
    }

    private static func refused(_ message: String) -> SyncError { SyncError(.otherOrigin, message) }

    private static func host(of base: String) -> String? { WebAddress(base)?.origin.host }
}

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
