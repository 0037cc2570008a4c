import MirrorStore

/// Writes one part after the other, while the next is read, and commits several together.
final class SnapshotCommits {
    private let writer: SnapshotWriter
    private let isSynchronous: Bool
    /// Time that never goes back.
    private let elapsed: @Sendable () -> Duration
    /// Has the cache write down what it was given: no row is committed without the entry that it was made from.
    private let flush: @Sendable () -> Void
    private var pending: Task<Void, any Error>?
    /// Lines that are written and not committed.
    private var open = 0
    /// Lines whose entries the cache may not have written down.
    private var unflushed = 0
    /// When the transaction that is open was begun.
    private var begun: Duration?

    /// So many lines are one transaction.
    private static let limit = 10_000
    /// The cache holds about so many lines at most: fewer at a time would cost more.
    private static let cached = 1_000
    /// So long a transaction is open while the server is waited for: nobody else writes to the database meanwhile.
    private static let patience = Duration.seconds(1)

    /// - Parameter isSynchronous: whether each part is written before anything else is done.
    init(
        _ writer: SnapshotWriter, isSynchronous: Bool, elapsed: @escaping @Sendable () -> Duration,
        flush: @escaping @Sendable () -> Void
    ) {
        self.writer = writer
        self.isSynchronous = isSynchronous
        self.elapsed = elapsed
        self.flush = flush
    }

    /// How long what was submitted may still wait for more; `nil` where nothing waits.
    var rest: Duration? { begun.map { max(.zero, $0 + Self.patience - elapsed()) } }

    /// Begins to write a part when the one before it is written.
    ///
    /// - Throws: what kept that from being written.
    func submit(_ part: SnapshotPart) async throws {
        try await settle()
        guard part.lines > 0 || !part.writes.isEmpty else { return }
        open += part.lines
        unflushed += part.lines
        let commits = open >= Self.limit, flushes = commits || unflushed >= Self.cached
        begun = commits ? nil : begun ?? elapsed()
        if commits { open = 0 }
        if flushes { unflushed = 0 }
        let write = { [writer, flush] in
            if flushes { flush() }
            try writer.write(part)
            if commits { try writer.commit() }
        }
        if isSynchronous { return try write() }
        pending = Task(operation: write)
    }

    /// Commits everything that was submitted.
    func finish() async throws {
        try await settle()
        flush()
        (open, unflushed, begun) = (0, 0, nil)
        try writer.commit()
    }

    /// Lets go of what is not committed, after a failure.
    func abandon() async {
        // The failure that led here is the one that is told.
        try? await settle()
        begun = nil
        writer.abandon()
    }

    private func settle() async throws {
        defer { pending = nil }
        try await pending?.value
    }
}
