import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A simulated disk under one folder, as SQLite sees it: it crashes at a chosen write.
///
/// After the crash, every write, sync and deletion fails, as if the process were gone. When all files are closed,
/// ``restart(_:)`` leaves in the files what a real crash would leave:
/// - after a kill, everything that was written;
/// - after a power cut, an arbitrary part of what was not synced.
package final class CrashDisk: Sendable {
    /// The write at which the disk crashes.
    struct CrashPoint: Sendable, Hashable {
        /// The number of the write, counted from 1, starting now.
        let write: Int
        /// The part of that write that still reaches the disk, in sixteenths.
        let sixteenths: Int
    }

    private struct State: Sendable {
        var journals: [String: WriteJournal] = [:]
        var crashPoint: CrashPoint?
        var hasCrashed = false
        var writes = 0
        var commits = 0
        /// The number of callers whose writes currently belong to another process.
        var exemptions = 0
        /// The number of open handles of each file, by path.
        var open: [String: Int] = [:]
    }

    /// The folder's path, without a slash at its end.
    let folder: String
    private let state = Mutex(State())
    /// Signalled when the last file was closed.
    private let closing = NSCondition()

    /// Puts the folder's files on this disk, until ``remove()``.
    ///
    /// - Parameter isInstalled: `false` for a disk that is never consulted and never crashes.
    init(folder: String, isInstalled: Bool = true) {
        self.folder = folder
        if isInstalled { CrashVFS.add(self) }
    }

    func remove() { CrashVFS.remove(self) }

    var hasCrashed: Bool { state.withLock { $0.hasCrashed } }
    /// The number of transactions that were committed, in all databases of the folder.
    var commits: Int { state.withLock { $0.commits } }
    var writes: Int { state.withLock { $0.writes } }

    /// Makes the disk crash at a later write, unless ``restart(_:)`` is called before that write.
    func scheduleCrash(_ crashPoint: CrashPoint) {
        state.withLock { state in
            state.crashPoint = CrashPoint(
                write: state.writes + max(1, crashPoint.write),
                sixteenths: min(16, max(0, crashPoint.sixteenths)))
        }
    }

    /// Makes the disk crash now.
    func crash() { state.withLock { $0.hasCrashed = true } }

    /// Runs what another process does at the same time: its writes cannot crash the disk, and are synced when it ends.
    func exemptingFromCrashes<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.exemptions += 1 }
        defer {
            state.withLock { state in
                state.exemptions -= 1
                if !state.hasCrashed { state.journals = [:] }
            }
        }
        return try body()
    }

    // MARK: - Called by the VFS

    /// How much of a write may be done.
    enum Permission { case all, none, part(Int) }

    func permission(toWrite count: Int) -> Permission {
        state.withLock { state in
            guard !state.hasCrashed else { return .none }
            guard state.exemptions == 0 else { return .all }
            state.writes += 1
            guard let crashPoint = state.crashPoint, state.writes >= crashPoint.write else { return .all }
            state.hasCrashed = true
            return .part(count * crashPoint.sixteenths / 16)
        }
    }

    /// Permission for a sync, a truncation or a deletion, each of which counts as a write of no bytes.
    func permission() -> Bool {
        if case .all = permission(toWrite: 0) { true } else { false }
    }

    func wrote(_ path: String, _ entry: WriteJournal.Entry, isCommit: Bool) {
        state.withLock { state in
            state.journals[path, default: WriteJournal()].entries.append(entry)
            if isCommit { state.commits += 1 }
        }
    }

    func opened(_ path: String) { state.withLock { $0.open[path, default: 0] += 1 } }

    func closed(_ path: String) {
        let isLast = state.withLock { state in
            let left = (state.open[path] ?? 0) - 1
            state.open[path] = left > 0 ? left : nil
            return state.open.isEmpty
        }
        guard isLast else { return }
        closing.lock()
        closing.broadcast()
        closing.unlock()
    }

    /// The paths of the files that are open.
    var open: [String] { state.withLock { $0.open.keys.sorted() } }

    /// Waits until no file is open. A file may be closed a moment after the task that used it has ended.
    private func waitForClosing() throws {
        let end = Date(timeIntervalSinceNow: 10)
        closing.lock()
        defer { closing.unlock() }
        while !open.isEmpty {
            guard closing.wait(until: end) else {
                throw CocoaError(.fileLocking, userInfo: [NSDebugDescriptionErrorKey: "Still open: \(open)"])
            }
        }
    }

    func synced(_ path: String) { state.withLock { $0.journals[path] = nil } }

    // MARK: - Crashes

    /// What a crash does to data that was not synced.
    enum Loss: Sendable, Hashable {
        /// The process was killed: the operating system keeps everything that was written.
        case none
        /// The power was cut: any part may survive; the part is drawn from this seed.
        case power(UInt64)
    }

    /// Brings the disk back after a crash, as soon as all files are closed. A write by an open file would survive the
    /// crash.
    ///
    /// - Throws: an error of the file system, or `CocoaError.fileLocking` if a file is still open after 10 seconds.
    func restart(_ loss: Loss) throws {
        try waitForClosing()
        let journals = state.withLock { state in
            defer { (state.journals, state.crashPoint, state.hasCrashed) = ([:], nil, false) }
            return state.journals
        }
        // The shared memory of SQLite's processes does not survive the last of them.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix("-shm") {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        guard case .power(let seed) = loss else { return }
        for (path, journal) in journals.sorted(by: { $0.key < $1.key }) where !journal.entries.isEmpty {
            guard let now = FileManager.default.contents(atPath: path) else { continue }
            var draw = PowerCut(seed: seed)
            let left = journal.content(Array(now)) { draw.keeps($0, sector: $1) }
            try Data(left).write(to: URL(filePath: path))
        }
    }

    /// Cancels the scheduled crash of a run that ended before it.
    func cancelScheduledCrash() { state.withLock { $0.crashPoint = nil } }
}
