import Catalogue
import MirrorStore
import Synchronization

/// Writes the parts of a snapshot, one after the other, and keeps the position up to which everything is stored.
final class SnapshotWriter: Sendable {
    private struct State: Sendable {
        /// The positions up to which everything is written, and committed.
        var written, committed: LoadPosition
        /// Whether a transaction is open: something is written but not committed.
        var isOpen = false
        /// Whether some indexes are dropped before the first part is written, to write a large snapshot faster.
        var dropsIndexes = false
        /// Why the snapshot may not be the complete catalogue; `nil` if nothing suggests that.
        var doubt: String?
        /// The first error. Nothing is written after it, since the position of a later part would include the failed one.
        var failure: (any Error)?
    }

    private let environment: SyncEnvironment
    private let observe: @Sendable (Write, WriteEffect) -> Void
    private let state: Mutex<State>

    init(
        environment: SyncEnvironment, position: LoadPosition,
        observe: @escaping @Sendable (Write, WriteEffect) -> Void
    ) {
        self.environment = environment
        self.observe = observe
        state = Mutex(State(written: position, committed: position, doubt: position.doubt))
    }

    /// The position up to which everything is committed.
    var position: LoadPosition {
        state.withLock { state in
            var position = state.committed
            position.doubt = state.doubt
            return position
        }
    }

    /// Records the first line of an answer: the position of the feed of events, and the number of entries.
    func noteHead(event: String?, count: Int) {
        let most = environment.options.mostWithIndexes
        state.withLock { state in
            if state.written.lines == 0 {
                state.written.event = event
                state.dropsIndexes = count > most
            } else if state.written.event != event {
                state.doubt = "the catalogue changed while it was read"
            }
        }
    }

    /// Records that the snapshot may not be the complete catalogue; the first reason is kept.
    func markIncomplete(_ reason: String) { state.withLock { $0.doubt = $0.doubt ?? reason } }

    /// Writes a part, without committing it.
    ///
    /// - Throws: ``StoreError`` if the store can't be written, or the error of an earlier part.
    func write(_ part: SnapshotPart) throws {
        try unlessFailed {
            if let doubt = part.doubt { markIncomplete(doubt) }
            do {
                try store(part.writes, upTo: part)
            } catch let error as StoreError where error.code == .unexpected {
                // One invalid object must not stop a sync: the others are written one by one, and the tree requests it again.
                markIncomplete("an object of it can't be stored")
                for write in part.writes {
                    do {
                        try store([write])
                    } catch let error as StoreError where error.code == .unexpected {
                        environment.logger.debug("\(write.subject): \(error)")
                    }
                }
                try store([], upTo: part)
            }
        }
    }

    /// Commits what was written since the last commit.
    ///
    /// - Throws: ``StoreError``; then nothing of it is stored.
    func commit() throws {
        let isOpen = state.withLock { $0.isOpen }
        try unlessFailed { if isOpen { try environment.store.commitLoaded() } }
        guard isOpen else { return }
        state.withLock { ($0.committed, $0.isOpen) = ($0.written, false) }
    }

    /// Rolls back what is not committed.
    func abandon() {
        environment.store.abandonLoaded()
        state.withLock { ($0.written, $0.isOpen) = ($0.committed, false) }
    }

    private func unlessFailed<T>(_ body: () throws -> T) throws -> T {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        do { return try body() } catch {
            state.withLock { $0.failure = error }
            throw error
        }
    }

    private func store(_ writes: [Write], upTo part: SnapshotPart? = nil) throws {
        let (next, isOpen, dropsIndexes) = state.withLock { state in
            var next = state.written
            if let part {
                if part.lines > 0 { next.url = part.url }
                next.lines += part.lines
                next.doubt = state.doubt
            }
            return (next, state.isOpen, state.dropsIndexes && state.written.lines == 0)
        }
        let (effects, position) = try environment.store.load(
            writes, of: environment.partnerID, run: environment.run, upTo: next, dropsIndexes: dropsIndexes,
            continues: isOpen)
        state.withLock { ($0.written, $0.isOpen) = (position, true) }
        for (write, effect) in zip(writes, effects) { observe(write, effect) }
    }
}

/// Lines of a snapshot that are written together.
struct SnapshotPart: Sendable {
    var writes: [Write] = []
    /// The partner's own lists. After all objects before them are written, their members are checked.
    var lists: [(kind: Kind, ids: [String])] = []
    /// The bytes of the entries' bodies.
    var bytes = 0
    /// The number of entries, including those without a write.
    var lines = 0
    /// The URL of the last entry.
    var url = ""
    /// Why the snapshot may not be the complete catalogue; `nil` if nothing suggests that.
    var doubt: String?

    /// Whether it has to be written. The limits are small, since one part is read while another is written.
    var isFull: Bool { lines >= 400 || bytes >= 1 << 19 || !lists.isEmpty }
}
