import Foundation
import MirrorStore
import Synchronization

/// The mirrors that are offered, by name.
///
/// Those under a home folder are opened at the first request. At most once a second the folder is checked for mirrors that
/// were added, removed, or replaced.
final class MirrorDirectory: Sendable {
    private let home: MirrorHome?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    private struct State {
        var names: [String] = []
        var open: [String: Opened] = [:]
        var lookedAt: ContinuousClock.Instant?

        var onlyName: String? { names.count == 1 ? names.first : nil }

        /// The mirror as it was opened; closed once other programs write what it doesn't see.
        mutating func current(_ name: String) -> Opened? {
            if case .success(let mirror)? = open[name]?.mirror, !mirror.store.isCurrent { open[name] = nil }
            return open[name]
        }
    }

    private struct Opened {
        let mirror: Result<ServedMirror, any Error>
        /// Which file it is; a mirror that isn't under a home folder is always the same.
        let file: FileIdentity?
    }

    /// - Parameters:
    ///   - home: `nil` where only `mirrors` are offered.
    ///   - mirrors: stay open, even if their files are moved or deleted.
    init(
        home: MirrorHome? = nil, mirrors: [String: ServedMirror] = [:],
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.home = home
        self.now = now
        let open = mirrors.mapValues { Opened(mirror: .success($0), file: nil) }
        state = Mutex(State(names: mirrors.keys.sorted(), open: open))
    }

    /// The mirror of that name, or, without a name, the only one; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` if it can't be opened.
    func mirror(named name: String?) throws -> ServedMirror? {
        try look()
        // Names are plain ASCII, so that two that are equal as `String`s are equal.
        guard let name = name ?? state.withLock({ $0.onlyName }), MirrorHome.isValid(name) else {
            return nil
        }
        if let opened = state.withLock({ $0.current(name) }) { return try opened.mirror.get() }
        guard let home, state.withLock({ $0.names.contains(name) }) else { return nil }
        return try open(try home.mirror(name)).get()
    }

    /// The mirror of that name, or the only one, if it was opened already: then nothing is waited for.
    func opened(_ name: String?) -> ServedMirror? {
        state.withLock { state in
            (name ?? state.onlyName).flatMap { try? state.open[$0]?.mirror.get() }
        }
    }

    /// The names of all.
    func names() throws -> [String] {
        try look()
        return state.withLock { $0.names }
    }

    /// Closes all mirrors that were opened here.
    func close() throws {
        guard home != nil else { return }
        let opened = state.withLock { state in
            defer { state = State() }
            return state.open.values
        }
        for case .success(let mirror) in opened.map(\.mirror) { try mirror.store.close() }
    }

    private func look() throws {
        guard let home else { return }
        let now = now()
        let isDue = state.withLock { state in
            if let last = state.lookedAt, last.duration(to: now) < .seconds(1) { return false }
            state.lookedAt = now
            return true
        }
        guard isDue else { return }
        let names = try home.names().filter(MirrorHome.isValid)
        let files = try Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileIdentity(path: try home.mirror($0).database)) })
        state.withLock { state in
            state.names = names
            // What couldn't be opened is tried again; what is another file is opened again. Requests that read the
            // old one finish with it.
            state.open = state.open.filter { name, opened in
                guard case .success = opened.mirror, let file = files[name] else { return false }
                return file == opened.file
            }
        }
    }

    /// Opens a mirror outside the lock, as that may take a while. If two requests do so at once, the first one's is kept.
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

/// Which file has a name at the moment.
struct FileIdentity: Hashable {
    let device: UInt64
    let number: UInt64

    /// `nil` if there is no file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
