/// What a handle is told for a request beside its URL and its header fields.
///
/// A handle whose last request was one of these, and ended well, needs nothing but a new URL and new fields for a
/// request that is equal in all of them. For any other it is reset and told everything, so that nothing is left to a
/// request of what another was given.
struct CurlSettings: Equatable {
    let isHead: Bool
    let isSecure: Bool
    let isLoopback: Bool
    let connect: Duration

    /// `nil` for a request after which the handle can't be used as it stands: one with a body or another method
    /// than GET and HEAD.
    init?(_ ticket: SendTicket) {
        let request = ticket.request
        guard request.body == nil, request.method == "GET" || request.method == "HEAD" else { return nil }
        isHead = request.method == "HEAD"
        isSecure = ticket.target.isSecure
        isLoopback = ticket.target.isLoopback
        connect = request.limits.connect
    }
}
