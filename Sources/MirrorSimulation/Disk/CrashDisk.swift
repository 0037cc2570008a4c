import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The disk under one folder, as SQLite sees it: it dies at a chosen write, and comes back as a crash would leave it.
///
/// Once dead it takes nothing more, as if the process were gone: every write, sync and deletion fails. When all files are
/// closed, ``restart(_:)`` makes of them what is left: after a kill, all that was written; after a power cut, of what was
/// not synced since, any part.
package final class CrashDisk: Sendable {
    /// When the disk dies next.
    struct Death: Sendable, Hashable {
        /// At so manieth a write from now on.
        let write: Int
        /// Of 16 parts of that write, so many are still done.
        let sixteenths: Int
    }

    private struct State: Sendable {
        var journals: [String: WriteJournal] = [:]
        var death: Death?
        var isDead = false
        var writes = 0
        var commits = 0
        /// How many writes at once are another process's.
        var spared = 0
        /// How often each file is open.
        var open: [String: Int] = [:]
    }

    /// Without a slash at its end.
    let folder: String
    private let state = Mutex(State())
    /// Told when the last file was closed.
    private let closing = NSCondition()

    /// From here on the files in the folder are on this disk, until ``remove()``.
    ///
    /// - Parameter isThere: `false` for one of which no file is, and which never dies.
    init(folder: String, isThere: Bool = true) {
        self.folder = folder
        if isThere { CrashVFS.add(self) }
    }

    func remove() { CrashVFS.remove(self) }

    var isDead: Bool { state.withLock { $0.isDead } }
    /// Transactions that were committed, in all databases of the folder.
    var commits: Int { state.withLock { $0.commits } }
    var writes: Int { state.withLock { $0.writes } }

    /// The disk dies, unless it gets so many writes no more before ``restart(_:)``.
    func die(_ death: Death) {
        state.withLock { state in
            state.death = Death(
                write: state.writes + max(1, death.write), sixteenths: min(16, max(0, death.sixteenths)))
        }
    }

    /// The disk dies now.
    func die() { state.withLock { $0.isDead = true } }

    /// What another process does meanwhile: it doesn't die, and what it wrote is on the disk when it ends.
    func sparing<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.spared += 1 }
        defer {
            state.withLock { state in
                state.spared -= 1
                if !state.isDead { state.journals = [:] }
            }
        }
        return try body()
    }

    // MARK: - What SQLite does

    /// How much of a write is done.
    enum Permission { case all, none, part(Int) }

    func permission(toWrite count: Int) -> Permission {
        state.withLock { state in
            guard !state.isDead else { return .none }
            guard state.spared == 0 else { return .all }
            state.writes += 1
            guard let death = state.death, state.writes >= death.write else { return .all }
            state.isDead = true
            return .part(count * death.sixteenths / 16)
        }
    }

    /// For a sync, a truncation or a deletion: counted as a write of nothing.
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

    /// The files that are open.
    var open: [String] { state.withLock { $0.open.keys.sorted() } }

    /// Returns when no file is open any more. What a task held may be let go of a moment after the task has ended.
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

    // MARK: - The crash

    /// What a crash leaves of what was not synced.
    enum Loss: Sendable, Hashable {
        /// The process was killed: the system has all of it.
        case none
        /// The power was cut: any part may be there, drawn from this seed.
        case power(UInt64)
    }

    /// Comes back after a crash, once nobody has a file open: what is written later would outlive it.
    ///
    /// - Throws: what the file system says; if a file stays open.
    func restart(_ loss: Loss) throws {
        try waitForClosing()
        let journals = state.withLock { state in
            defer { (state.journals, state.death, state.isDead) = ([:], nil, false) }
            return state.journals
        }
        // What processes share in memory is gone with the last of them.
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

    /// Of a run that is over without a crash: nothing is to die any more.
    func disarm() { state.withLock { $0.death = nil } }
}
