import Foundation
import GRDB
import Synchronization

/// The entries of a cache: a file, and before it the changes that wait to be written.
///
/// A change is visible at once and written later, together with others (``Limits``) or by ``flush()``. Trouble with
/// the file is told once and ends the caching; nothing is thrown.
final class EntryStore: Sendable {
    /// When waiting changes are written.
    struct Limits: Sendable {
        var changes = 1024
        var bytes = 4 << 20
        /// Rows whose time of use waits to be noted.
        var touches = 4096
        /// A row's time of use is noted again only after this many seconds.
        var grain = 3600
    }

    struct State {
        var file: EntryFile?
        var waiting = EntryBatch()
        /// What is being written just now: still to be seen by readers.
        var writing: EntryBatch?
        var limits = Limits()
        var diskCapacity: Int
        var isScheduled = false
        var isEvicting = false
        /// Bytes of the file, as far as known.
        var usage = 0

        /// A row's time of use is noted again only after this many seconds; `nil` if none is noted. As long as the file is
        /// less than half full nothing has to go for its age soon, and the rows of a mirror that is looked through daily
        /// needn't all be written for it.
        var grainOfUse: Int? { usage > diskCapacity / 2 ? limits.grain : nil }

        var isFull: Bool { waiting.count >= limits.changes || waiting.bytes >= limits.bytes }
    }

    let state: Mutex<State>
    let now: @Sendable () -> Double
    let problem: @Sendable (CacheProblem) -> Void

    init(
        file url: URL, diskCapacity: Int, now: @escaping @Sendable () -> Double,
        problem: @escaping @Sendable (CacheProblem) -> Void
    ) {
        self.now = now
        self.problem = problem
        let file: EntryFile?
        do {
            let opened = try EntryFile(url)
            if let reason = opened.replaced {
                problem(CacheProblem(.replaced, "The cache's file was replaced by an empty one: \(reason)"))
            }
            file = opened
        } catch {
            problem(CacheProblem(.cannotOpen, "The cache can't be opened; going on without it: \(error)"))
            file = nil
        }
        state = Mutex(State(file: file, diskCapacity: diskCapacity, usage: file?.firstUsage ?? 0))
    }

    /// Writes all that waits; returns when it is committed.
    func flush() {
        access { file, db in self.write(to: file, db) }
    }

    /// Writes all that waits and closes the file: from here on nothing is cached.
    func close() {
        flush()
        let file = state.withLock { $0.file.take() }
        // Behind what is under way. The last connection puts the journal into the file.
        for connection in [file?.reader, file?.writer] {
            do {
                try connection?.close()
            } catch {
                problem(CacheProblem(.failed, "The cache's file can't be closed: \(error)"))
            }
        }
    }

    func removeAll() {
        state.withLock { $0.waiting = EntryBatch() }
        access { file, db in try file.removeAll(db) }
    }

    /// Removes the entries whose responses came at that time or later.
    func removeAll(since time: Double) {
        access { file, db in
            self.write(to: file, db)
            try file.removeAll(since: time, db)
        }
    }

    /// Deletes what was not used for longest until the file is within its capacity; returns when it is.
    func evict() {
        access { file, db in
            self.write(to: file, db)
            while try self.evictSome(file, db) {}
        }
    }

    var diskUsage: Int {
        var usage = 0
        access { _, db in usage = try EntryFile.usage(db) }
        return usage
    }

    var memoryUsage: Int {
        state.withLock { $0.waiting.bytes + ($0.writing?.bytes ?? 0) }
    }

    var diskCapacity: Int {
        get { state.withLock { $0.diskCapacity } }
        set {
            state.withLock { $0.diskCapacity = max(0, newValue) }
            evict()
        }
    }

    func setLimits(_ limits: Limits) {
        state.withLock { $0.limits = limits }
    }

    /// Does something on the writer's queue, and returns when it is done.
    private func access(_ body: (EntryFile, Database) throws -> Void) {
        guard let file = state.withLock({ $0.file }) else { return }
        do {
            try file.writer.writeWithoutTransaction { if isOpen(file) { try body(file, $0) } }
        } catch {
            fail(error)
        }
    }
}
