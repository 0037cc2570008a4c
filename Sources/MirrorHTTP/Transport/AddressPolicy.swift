/// Which hosts a transport may be asked to reach.
///
/// A request is judged by the host in its URL, before a name is looked up and before anything is sent. One that is refused
/// fails with ``TransportError/Code/cannotConnect``.
public struct AddressPolicy: Sendable {
    private let allowsOthers: Bool
    private let refused: @Sendable (_ url: String) -> Void

    /// Every host. The default of the transports.
    public static let all = AddressPolicy(allowsOthers: true) { _ in }

    /// This machine alone: `localhost` and numeric loopback addresses. For tests.
    ///
    /// - Parameter refused: called with the URL of each request that is refused, from any task; a test fails there.
    public static func loopback(refused: @escaping @Sendable (_ url: String) -> Void) -> AddressPolicy {
        AddressPolicy(allowsOthers: false, refused: refused)
    }

    private init(allowsOthers: Bool, refused: @escaping @Sendable (_ url: String) -> Void) {
        self.allowsOthers = allowsOthers
        self.refused = refused
    }

    func check(_ target: RequestTarget, _ url: String) throws(TransportError) {
        guard !allowsOthers, !target.isLoopback else { return }
        refused(url)
        throw TransportError(
            .cannotConnect, "This transport may only reach this machine.", mayHaveReachedServer: false)
    }
}
