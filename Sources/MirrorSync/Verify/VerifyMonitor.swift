import Synchronization

/// Watches a verification: what it finds, and how far it is at any moment.
public final class VerifyMonitor: Sendable {
    public enum Event: Sendable {
        case found(Finding)
        /// It is still so after everything was mended that could be.
        case remains(Finding)
        /// What the sync does that fetches again what was broken.
        case sync(SyncMonitor.Event)
    }

    /// How far it is. Totals are known before anything is counted against them.
    public struct Progress: Sendable, Hashable {
        public var checks = 0, checksTotal = 0
        public var files = 0, filesTotal = 0
        /// Of the files that are read to their end.
        public var bytes: Int64 = 0, bytesTotal: Int64 = 0
        /// Lists of the server's that were compared.
        public var lists = 0, listsTotal = 0
        public var findings = 0
        /// 2 while it is looked at once more after a repair.
        public var pass = 1

        public init() {}

        mutating func begin(pass: Int) {
            let findings = findings
            self = Progress()
            (self.findings, self.pass) = (findings, pass)
        }
    }

    private let state = Mutex(Progress())
    private let handler: (@Sendable (Event) -> Void)?

    /// - Parameter handler: told of every event, on the task in which it happens; it must be quick.
    public init(_ handler: (@Sendable (Event) -> Void)? = nil) { self.handler = handler }

    public var progress: Progress { state.withLock { $0 } }

    func note(_ change: (inout sending Progress) -> Void) { state.withLock { change(&$0) } }

    func tell(_ event: Event) {
        if case .found = event { note { $0.findings += 1 } }
        handler?(event)
    }
}
