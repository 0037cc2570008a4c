import MirrorStore

/// Writes one part after the other, while the next is read, and commits several together.
final class SnapshotCommits {
    private let writer: SnapshotWriter
    private let isSynchronous: Bool
    private var pending: Task<Void, any Error>?
    /// Lines that are written and not committed.
    private var open = 0

    /// So many lines are one transaction.
    private static let limit = 10_000

    /// - Parameter isSynchronous: whether each part is written before anything else is done.
    init(_ writer: SnapshotWriter, isSynchronous: Bool) {
        self.writer = writer
        self.isSynchronous = isSynchronous
    }

    /// Begins to write a part when the one before it is written.
    ///
    /// - Throws: what kept that from being written.
    func submit(_ part: SnapshotPart) async throws {
        try await settle()
        guard part.lines > 0 else { return }
        open += part.lines
        let commits = open >= Self.limit
        if commits { open = 0 }
        let write = { [writer] in
            try writer.write(part)
            if commits { try writer.commit() }
        }
        if isSynchronous { return try write() }
        pending = Task(operation: write)
    }

    /// Commits everything that was submitted.
    func finish() async throws {
        try await settle()
        open = 0
        try writer.commit()
    }

    /// Lets go of what is not committed, after a failure.
    func abandon() async {
        // The failure that led here is the one that is told.
        try? await settle()
        writer.abandon()
    }

    private func settle() async throws {
        defer { pending = nil }
        try await pending?.value
    }
}
