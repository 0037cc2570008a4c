import Hummingbird

/// Decides whether a request that changes something may come from the site that sent it.
///
/// A page of another site can make a browser send forms to this server. Browsers name the page's origin in `Origin`. A page
/// without a referrer, as all pages of this server are, has the origin `null`; then only `Sec-Fetch-Site` tells its site.
/// Programs send neither header, and are permitted.
struct OriginCheck: Sendable {
    /// The address under which browsers reach the server, without a path; `nil` if it is the one that they request.
    let publicURL: String?

    private static let fetchSite = HTTPFields.Element.Name("Sec-Fetch-Site")

    /// - Parameter authority: the host and port of the request.
    func admits(_ headers: HTTPFields, authority: String?) -> Bool {
        if let name = Self.fetchSite, let site = headers[name], ["cross-site", "same-site"].contains(site) {
            return false
        }
        guard let origin = headers[.origin]?.lowercased(), origin != "null" else { return true }
        if let publicURL, origin == publicURL.lowercased() { return true }
        guard let own = authority?.lowercased() else { return false }
        return ["http://\(own)", "https://\(own)"].contains(origin)
    }
}
