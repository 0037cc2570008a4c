import MirrorStore

/// What the server offers beyond part 1 is remembered from run to run: while it is in trouble, it may not say so.
extension SyncEnvironment {
    /// Those that this program uses: no other name that a server says is stored.
    private static let used: Set<String> = ["validators", "since", "events", "status", "snapshot", "digest"]

    /// Whether the server can be asked how it is, as this run or the last one knows; `nil` if neither does.
    func offersStatus() throws -> Bool? {
        if let offered = report.current.offered { return offered.contains("status") }
        // Another server offers other things.
        guard !isSwitch, let known = try store.extensions else { return nil }
        return known.contains("status")
    }

    /// Remembers what the server said, once it has answered as the partner.
    func rememberExtensions() throws {
        guard plan == nil, let offered = report.current.offered else { return }
        try store.setExtensions(offered.intersection(Self.used))
    }
}
