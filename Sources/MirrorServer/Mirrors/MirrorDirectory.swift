import Foundation
import MirrorStore
import Synchronization

/// The served mirrors by name.
///
/// Mirrors under a home folder are opened at the first request. The folder is checked at most once a second for mirrors
/// that were added, removed or replaced.
final class MirrorDirectory: Sendable {
    private let home: MirrorHome?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    /// Held while the home folder is read for the first time.
    private let firstReading = Mutex<Void>(())

    private struct State {
        var names: [String] = []
        var open: [String: Opened] = [:]
        var checkedAt: ContinuousClock.Instant?

        var onlyName: String? { names.count == 1 ? names.first : nil }

        /// The open mirror. It is dropped if other programs write changes that it can't see.
        mutating func current(_ name: String) -> Opened? {
            if case .success(let mirror)? = open[name]?.mirror, !mirror.store.isCurrent { open[name] = nil }
            return open[name]
        }
    }

    private struct Opened {
        let mirror: Result<ServedMirror, any Error>
        /// The identity of the database's file; `nil` for a mirror that isn't under a home folder.
        let file: FileIdentity?
    }

    /// - Parameters:
    ///   - home: the home folder; `nil` to serve only `mirrors`.
    ///   - mirrors: open mirrors. They stay open, even if their files are moved or deleted.
    init(
        home: MirrorHome? = nil, mirrors: [String: ServedMirror] = [:],
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.home = home
        self.now = now
        let open = mirrors.mapValues { Opened(mirror: .success($0), file: nil) }
        state = Mutex(State(names: mirrors.keys.sorted(), open: open))
    }

    /// The mirror with a name, or, without a name, the only mirror; `nil` if there is none. Opens it if necessary.
    ///
    /// - Throws: ``StoreError`` if it can't be opened.
    func mirror(named name: String?) throws -> ServedMirror? {
        try checkHome()
        // Valid names are ASCII, so comparing them as `String` is safe.
        guard let name = name ?? state.withLock({ $0.onlyName }), MirrorHome.isValid(name) else {
            return nil
        }
        if let opened = state.withLock({ $0.current(name) }) { return try opened.mirror.get() }
        guard let home, state.withLock({ $0.names.contains(name) }) else { return nil }
        return try open(try home.mirror(name)).get()
    }

    /// The mirror with a name, or the only mirror, if it is open already. Never blocks.
    func opened(_ name: String?) -> ServedMirror? {
        state.withLock { state in
            (name ?? state.onlyName).flatMap { try? state.open[$0]?.mirror.get() }
        }
    }

    /// The names of all mirrors.
    func names() throws -> [String] {
        try checkHome()
        return state.withLock { $0.names }
    }

    /// Closes all mirrors that this directory opened.
    func close() throws {
        guard home != nil else { return }
        let opened = state.withLock { state in
            defer { state = State() }
            return state.open.values
        }
        for case .success(let mirror) in opened.map(\.mirror) { try mirror.store.close() }
    }

    /// Updates the names from the home folder, at most once a second. The first requests wait for the first reading, without
    /// which there would be no mirrors.
    private func checkHome() throws {
        guard let home else { return }
        let now = now()
        func isDue(_ state: inout State) -> Bool {
            if let last = state.checkedAt, last.duration(to: now) < .seconds(1) { return false }
            state.checkedAt = now
            return true
        }
        guard state.withLock({ $0.checkedAt != nil }) else {
            return try firstReading.withLock { _ in
                guard state.withLock({ $0.checkedAt == nil }) else { return }
                try readHome(home)
                state.withLock { $0.checkedAt = now }
            }
        }
        guard state.withLock({ isDue(&$0) }) else { return }
        try readHome(home)
    }

    private func readHome(_ home: MirrorHome) throws {
        let names = try home.names().filter(MirrorHome.isValid)
        let files = try Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileIdentity(path: try home.mirror($0).database)) })
        state.withLock { state in
            state.names = names
            // Mirrors that failed to open, or whose file was replaced, are opened again at the next request. Current
            // requests finish with the old mirror.
            state.open = state.open.filter { name, opened in
                guard case .success = opened.mirror, let file = files[name] else { return false }
                return file == opened.file
            }
        }
    }

    /// Opens a mirror outside the lock, because it may take long. If two requests open it at once, the first result is kept.
    private func open(_ folder: MirrorFolder) throws -> Result<ServedMirror, any Error> {
        let file = FileIdentity(path: folder.database)
        // A mirror that can't be written can still be read.
        let mirror = Result {
            ServedMirror(name: folder.name, store: try folder.store(), files: folder.files)
        }
        return state.withLock { state in
            if let earlier = state.current(folder.name) { return earlier.mirror }
            state.open[folder.name] = Opened(mirror: mirror, file: file)
            return mirror
        }
    }
}

/// The identity of a file: device and inode.
struct FileIdentity: Hashable {
    let device: UInt64
    let number: UInt64

    /// Reads the identity of the file at a path; `nil` if there is no file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
