import Foundation
import GRDB
import Synchronization

/// The entries of a cache: a file, and before it the changes that wait to be written.
///
/// A change is visible at once and written later, together with others or by ``flush()``. Trouble with
/// the file is reported once and ends the caching; nothing is thrown.
final class EntryStore: Sendable {
    /// Changes that may wait.
    private static let mostWaiting = 1_024
    /// Bytes of them, unless less is allowed.
    private static let mostBytes = 4 << 20
    /// A row's time of use is noted again only after this many seconds.
    private static let grain = 3_600

    struct State {
        var file: EntryFile?
        var waiting = EntryBatch()
        /// What is being written just now: still to be seen by readers.
        var writing: EntryBatch?
        /// Bytes of changes that may wait.
        var mostBytes = EntryStore.mostBytes
        var diskCapacity: Int
        var isScheduled = false
        /// Bytes of the file, as far as known.
        var usage = 0

        /// Whether rows' times of use are noted. As long as the file is less than half full nothing has to go for its age
        /// soon, and the rows of a mirror that is read daily needn't all be written for it.
        var notesUse: Bool { usage > diskCapacity / 2 }

        var isFull: Bool {
            !waiting.isEmpty
                && (waiting.slots.count + waiting.touched.count >= EntryStore.mostWaiting
                    || waiting.bytes >= mostBytes)
        }
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
        var file: EntryFile?
        do {
            file = try EntryFile(url)
            if let reason = file?.replaced {
                problem(CacheProblem(.replaced, "The cache's file was replaced by an empty one: \(reason)"))
            }
        } catch {
            problem(CacheProblem(.cannotOpen, "The cache can't be opened; going on without it: \(error)"))
        }
        state = Mutex(State(file: file, diskCapacity: diskCapacity, usage: file?.firstUsage ?? 0))
    }

    // MARK: Entries

    /// The newest entry that the request may choose.
    func entry(for key: String, _ request: HeaderFields) -> CacheEntry? {
        let (file, known) = state.withLock { state -> (EntryFile?, EntryBatch.Lookup?) in
            (state.file, state.waiting.lookup(key, request) ?? state.writing?.lookup(key, request))
        }
        guard let file else { return nil }
        switch known {
        case .found(let entry): return entry
        case .removed: return nil
        case nil: break
        }
        do {
            guard let row = try file.find(key, request) else { return nil }
            let time = Int(now())
            change {
                if $0.notesUse, time - row.used >= Self.grain { $0.waiting.touch(row.id, at: time) }
            }
            return row.entry
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
            }
        }
    }

    func remove(_ key: String) {
        change { $0.waiting.remove(key) }
    }

    /// Gives the entry `base` other headers and times, unless it went, or gave way to another, meanwhile. Written at once,
    /// behind all that waits: only the file can tell.
    func update(_ entry: CacheEntry, of base: CacheEntry) {
        access { file, db in
            self.write(to: file, db)
            try file.update(entry, of: base, at: Int(self.now()), db)
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

    /// Notes a change, and has the waiting ones written if they are enough. A writer that can't keep up is waited for.
    private func change(_ body: (inout sending State) -> Void) {
        let (file, isLate) = state.withLock { state -> (EntryFile?, Bool) in
            guard let file = state.file else { return (nil, false) }
            body(&state)
            if state.waiting.bytes > 4 * state.mostBytes { return (file, true) }
            guard state.isFull, !state.isScheduled else { return (nil, false) }
            state.isScheduled = true
            return (file, false)
        }
        guard let file else { return }
        if isLate { return flush() }
        file.writer.asyncWriteWithoutTransaction { self.write(to: file, $0) }
    }

    // MARK: Capacity

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

    /// Sets how many bytes of changes may wait: 4 MiB at most.
    func setMemoryCapacity(_ bytes: Int) {
        state.withLock { $0.mostBytes = min(Self.mostBytes, max(0, bytes)) }
    }

    /// Writes all that waits; returns when it is committed.
    func flush() {
        access { file, db in self.write(to: file, db) }
    }

    /// Deletes what was not used for longest until the file is within its capacity; returns when it is.
    func evict() {
        access { file, db in
            self.write(to: file, db)
            try self.evict(from: file, db)
        }
    }
}
