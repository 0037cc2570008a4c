import Foundation
import GRDB
import Synchronization

/// The entries of a cache: a file, and the pending changes to it.
///
/// A change is visible at once. It is written later, in a batch or by ``flush()``. A problem with the file is reported
/// once and ends caching; nothing is thrown.
final class EntryStore: Sendable {
    /// The number of pending changes at which they are written.
    private static let maximumChanges = 1_024
    /// The size of pending changes at which they are written, in bytes, unless the memory capacity is smaller.
    private static let maximumBytes = 4 << 20
    /// The resolution of a row's time of use, in seconds: it is updated at most once in this time.
    private static let useResolution = 3_600

    struct State {
        var file: EntryFile?
        var pending = EntryBatch()
        /// The batch that is being written, which reads must still consult.
        var writing: EntryBatch?
        /// The size of pending changes at which they are written, in bytes.
        var maximumBytes = EntryStore.maximumBytes
        var diskCapacity: Int
        var isScheduled = false
        /// The used size of the file after the last write, in bytes.
        var usage = 0

        /// Whether rows' times of use are recorded.
        ///
        /// While the file is less than half full, no row will be evicted soon. Recording uses would then only write all
        /// rows of a mirror that is read daily.
        var recordsUse: Bool { usage > diskCapacity / 2 }

        var isFull: Bool {
            !pending.isEmpty
                && (pending.slots.count + pending.touched.count >= EntryStore.maximumChanges
                    || pending.bytes >= maximumBytes)
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
            if let reason = file?.replacementReason {
                problem(
                    CacheProblem(
                        .replaced,
                        "The HTTP cache's file could not be used and was replaced by an empty one: \(reason)")
                )
            }
        } catch {
            problem(
                CacheProblem(
                    .cannotOpen,
                    "The HTTP cache can't be opened, so nothing is cached until the next start: \(error)"))
        }
        state = Mutex(State(file: file, diskCapacity: diskCapacity, usage: file?.initialUsage ?? 0))
    }

    // MARK: Entries

    /// The newest entry that matches the request.
    func entry(for key: String, _ request: HeaderFields) -> CacheEntry? {
        let (file, known) = state.withLock { state -> (EntryFile?, EntryBatch.Lookup?) in
            (state.file, state.pending.lookup(key, request) ?? state.writing?.lookup(key, request))
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
                if $0.recordsUse, time - row.used >= Self.useResolution { $0.pending.touch(row.id, at: time) }
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
            // A very large entry would evict too many others. An older response is removed, as it is out of date.
            if cost > $0.diskCapacity / 20 {
                $0.pending.remove(entry.key)
            } else {
                $0.pending.store(entry, at: time)
            }
        }
    }

    func remove(_ key: String) {
        change { $0.pending.remove(key) }
    }

    /// Updates the headers and times of the entry `base`, unless it was removed or replaced in the meantime.
    ///
    /// Pending changes and the update are written at once, because only the file shows whether `base` is still stored.
    func update(_ entry: CacheEntry, of base: CacheEntry) {
        access { file, db in
            self.write(to: file, db)
            try file.update(entry, of: base, at: Int(self.now()), db)
        }
    }

    func removeAll() {
        state.withLock { $0.pending = EntryBatch() }
        access { file, db in try file.removeAll(db) }
    }

    /// Removes the entries whose responses arrived at `time` or later, in seconds since 1970.
    func removeAll(since time: Double) {
        access { file, db in
            self.write(to: file, db)
            try file.removeAll(since: time, db)
        }
    }

    /// Applies a change to the state, and schedules a write if enough changes are pending.
    ///
    /// Blocks until they are written if the writer can't keep up (four times the limit in bytes).
    private func change(_ body: (inout sending State) -> Void) {
        let (file, isOverloaded) = state.withLock { state -> (EntryFile?, Bool) in
            guard let file = state.file else { return (nil, false) }
            body(&state)
            if state.pending.bytes > 4 * state.maximumBytes { return (file, true) }
            guard state.isFull, !state.isScheduled else { return (nil, false) }
            state.isScheduled = true
            return (file, false)
        }
        guard let file else { return }
        if isOverloaded { return flush() }
        file.writer.asyncWriteWithoutTransaction { self.write(to: file, $0) }
    }

    // MARK: Capacity

    var diskUsage: Int {
        var usage = 0
        access { _, db in usage = try EntryFile.usage(db) }
        return usage
    }

    var memoryUsage: Int {
        state.withLock { $0.pending.bytes + ($0.writing?.bytes ?? 0) }
    }

    var diskCapacity: Int {
        get { state.withLock { $0.diskCapacity } }
        set {
            state.withLock { $0.diskCapacity = max(0, newValue) }
            evict()
        }
    }

    /// Sets the size at which pending changes are written, in bytes, at most 4 MiB.
    func setMemoryCapacity(_ bytes: Int) {
        state.withLock { $0.maximumBytes = min(Self.maximumBytes, max(0, bytes)) }
    }

    /// Writes all pending changes, and returns when they are committed.
    func flush() {
        access { file, db in self.write(to: file, db) }
    }

    /// Deletes the least recently used entries until the file is within its capacity, and returns then.
    func evict() {
        access { file, db in
            self.write(to: file, db)
            try self.evict(from: file, db)
        }
    }
}
