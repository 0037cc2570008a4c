import Catalogue
import MirrorStore
import Synchronization

/// Writes parts of a snapshot, one after the other, and knows up to where it is stored.
final class SnapshotWriter: Sendable {
    private struct State: Sendable {
        /// Up to where everything is written, and up to where it is committed.
        var written, committed: LoadPosition
        /// Whether something is written and not committed.
        var isOpen = false
        /// Whether some indexes are dropped with the first part.
        var dropsIndexes = false
        /// Why what came can't be taken for the whole catalogue, if it can't.
        var doubt: String?
        /// What kept something from being written: its place is noted with what follows it, so nothing may.
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

    /// Up to where everything is committed.
    var position: LoadPosition {
        state.withLock { state in
            var position = state.committed
            position.doubt = state.doubt
            return position
        }
    }

    /// Where the feed of events stood when the answer was made, and how many lines it has.
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

    func doubt(_ why: String) { state.withLock { $0.doubt = $0.doubt ?? why } }

    /// - Throws: ``StoreError`` if the store can't be written, or a part before this one could not.
    func write(_ part: SnapshotPart) throws {
        try unlessFailed {
            if let doubt = part.doubt { self.doubt(doubt) }
            do {
                try store(part.writes, upTo: part)
            } catch let error as StoreError where error.code == .unexpected {
                // One bad object never stops a sync: what can be written is, and the tree asks for the rest.
                doubt("an object of it can't be stored")
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

    /// - Throws: ``StoreError``; then what was written since the last time is not stored.
    func commit() throws {
        let isOpen = state.withLock { $0.isOpen }
        try unlessFailed { if isOpen { try environment.store.commitLoaded() } }
        guard isOpen else { return }
        state.withLock { ($0.committed, $0.isOpen) = ($0.written, false) }
    }

    /// Takes back what is not committed.
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
    /// The partner's own lists: their members are looked up when what came before is written.
    var lists: [(kind: Kind, ids: [String])] = []
    /// Bytes of their bodies.
    var bytes = 0
    /// Lines, those that brought nothing to write included.
    var lines = 0
    /// The last URL.
    var url = ""
    /// Why what came can't be taken for the whole catalogue, if it can't.
    var doubt: String?

    /// Whether it is written now. It is small enough to be held twice: one is read while the other is written.
    var isFull: Bool { lines >= 400 || bytes >= 1 << 19 || !lists.isEmpty }
}
