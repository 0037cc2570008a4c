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

    private struct State {
        var file: EntryFile?
        var waiting = EntryBatch()
        /// What is being written just now: still to be seen by readers.
        var writing: EntryBatch?
        var limits = Limits()
        var diskCapacity: Int
        var isScheduled = false
        var isEvicting = false
        /// Hashes of the keys that were stored since the file was opened empty: what is not among them needs no look
        /// into the file, which spares a first sync one for each object. `nil` if the file was not empty.
        var stored: Set<Int>?

        var isFull: Bool { waiting.count >= limits.changes || waiting.bytes >= limits.bytes }
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Double
    private let problem: @Sendable (CacheProblem) -> Void

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
        let stored: Set<Int>? = file?.wasEmpty == true ? [] : nil
        state = Mutex(State(file: file, diskCapacity: diskCapacity, stored: stored))
    }

    // MARK: One entry

    func entry(for key: String, _ request: HeaderFields) -> CacheEntry? {
        let (file, known, grain) = state.withLock { state -> (EntryFile?, EntryBatch.Lookup, Int) in
            guard let file = state.file else { return (nil, .removed, 0) }
            var known = state.waiting.lookup(key, request)
            if case .unknown = known, let writing = state.writing { known = writing.lookup(key, request) }
            if case .unknown = known, let stored = state.stored, !stored.contains(key.hashValue) {
                known = .removed
            }
            return (file, known, state.limits.grain)
        }
        switch known {
        case .found(let entry): return entry
        case .removed: return nil
        case .unknown: break
        }
        guard let file else { return nil }
        do {
            guard let found = try file.find(key, request) else { return nil }
            let time = Int(now())
            if time - found.used >= grain {
                change {
                    $0.waiting.touch(found.row, at: time)
                    return $0.waiting.touched.count >= $0.limits.touches
                }
            }
            return found.entry
        } catch {
            fail(error)
            return nil
        }
    }

    func store(_ entry: CacheEntry) {
        let cost = entry.cost
        let time = Int(now())
        change {
            // What is too large would push out everything else. An older answer must not stay for it.
            if cost > $0.diskCapacity / 20 {
                $0.waiting.remove(entry.key)
            } else {
                $0.waiting.store(entry, at: time)
                $0.stored?.insert(entry.key.hashValue)
            }
            return $0.isFull
        }
    }

    func update(_ entry: CacheEntry) {
        let time = Int(now())
        change {
            $0.waiting.update(entry, at: time)
            return $0.isFull
        }
    }

    func remove(_ key: String) {
        change {
            $0.waiting.remove(key)
            return $0.isFull
        }
    }

    /// Notes a change, and has the waiting ones written if they are enough. A writer that can't keep up is waited for.
    private func change(_ body: (inout sending State) -> Bool) {
        let (file, isLate) = state.withLock { state -> (EntryFile?, Bool) in
            guard let file = state.file, body(&state) else { return (nil, false) }
            if state.waiting.bytes > 4 * state.limits.bytes { return (file, true) }
            guard !state.isScheduled else { return (nil, false) }
            state.isScheduled = true
            return (file, false)
        }
        guard let file else { return }
        if isLate { return flush() }
        file.writer.asyncWriteWithoutTransaction { self.write(to: file, $0) }
    }

    // MARK: All entries

    /// Writes all that waits; returns when it is committed.
    func flush() {
        access { file, db in self.write(to: file, db) }
    }

    func removeAll() {
        state.withLock { $0.waiting = EntryBatch() }
        access { _, db in
            try db.execute(sql: "DELETE FROM entry")
            try db.execute(sql: "PRAGMA incremental_vacuum")
        }
    }

    /// Removes the entries whose responses came at that time or later.
    func removeAll(since time: Double) {
        access { file, db in
            self.write(to: file, db)
            try db.execute(sql: "DELETE FROM entry WHERE response_time >= ?", arguments: [time])
        }
    }

    /// Deletes what was not used for longest until the file is within its capacity; returns when it is.
    func evict() {
        access { file, db in
            self.write(to: file, db)
            while try self.evictSome(db) {}
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

    private func access(_ body: (EntryFile, Database) throws -> Void) {
        guard let file = state.withLock({ $0.file }) else { return }
        do {
            try file.writer.writeWithoutTransaction { try body(file, $0) }
        } catch {
            fail(error)
        }
    }

    // MARK: On the writer's queue

    private func write(to file: EntryFile, _ db: Database) {
        let batch = state.withLock { state -> EntryBatch? in
            state.isScheduled = false
            guard state.file != nil, !state.waiting.isEmpty else { return nil }
            state.writing = state.waiting
            state.waiting = EntryBatch()
            return state.writing
        }
        guard let batch else { return }
        defer { state.withLock { $0.writing = nil } }
        do {
            // SQLite goes on writing to a file that was deleted: nobody would ever read it.
            guard FileManager.default.fileExists(atPath: file.url.path) else {
                throw CacheProblem(.failed, "The file was deleted.")
            }
            try EntryFile.write(batch, db)
            scheduleEviction(file, usage: try EntryFile.usage(db))
        } catch {
            fail(error)
        }
    }

    /// Eviction goes in small steps between the writes of others.
    private func scheduleEviction(_ file: EntryFile, usage: Int) {
        let isNeeded = state.withLock { state in
            guard usage > state.diskCapacity, !state.isEvicting else { return false }
            state.isEvicting = true
            return true
        }
        if isNeeded { evictLater(file) }
    }

    private func evictLater(_ file: EntryFile) {
        file.writer.asyncWriteWithoutTransaction { db in
            do {
                if try self.evictSome(db) { return self.evictLater(file) }
            } catch {
                self.fail(error)
            }
            self.state.withLock { $0.isEvicting = false }
        }
    }

    private func evictSome(_ db: Database) throws -> Bool {
        let capacity = diskCapacity
        return try EntryFile.evict(to: capacity - capacity / 10, limit: capacity, db)
    }

    /// Ends the caching. A damaged file is deleted, so that the next one to open it starts afresh.
    private func fail(_ error: any Error) {
        let file = state.withLock { state -> EntryFile? in
            defer {
                state.file = nil
                state.waiting = EntryBatch()
            }
            return state.file
        }
        guard let file else { return }
        if let code = (error as? DatabaseError)?.resultCode, code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB
        {
            EntryFile.delete(file.url)
        }
        problem(CacheProblem(.failed, "The cache failed; going on without it: \(error)"))
    }
}
