import Foundation

/// One run per mirror at a time: an advisory lock on the file `lock`, which the system lets go of when the process ends.
public final class RunLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, or fails at once.
    ///
    /// - Throws: ``StoreError/Code/locked`` if another run holds it; `readOnly` if the file can't be made.
    public convenience init(_ folder: MirrorFolder) throws {
        try self.init(folder.lock, else: Self.isTaken(folder))
    }

    private static func isTaken(_ folder: MirrorFolder) -> String {
        "Another run is working on \(folder.name). Wait until it has ended, or stop it."
    }

    /// Takes the lock in a folder that can't be written: whoever could may be at work. Without a lock file nobody is.
    ///
    /// - Throws: as ``init(_:)``.
    package convenience init?(reading folder: MirrorFolder) throws {
        guard access(folder.lock, F_OK) == 0 else { return nil }
        try self.init(folder.lock, O_RDONLY | O_CLOEXEC, else: Self.isTaken(folder))
    }

    /// Takes the lock of a watch, `watch.lock`: one watch per mirror, beside which runs may work.
    ///
    /// - Throws: as ``init(_:)``.
    package convenience init(watching folder: MirrorFolder) throws {
        try self.init(
            folder.watchLock,
            else: "\(folder.name) is watched already. Stop the other mirror watch, or leave it to it.")
    }

    private init(_ path: String, _ flags: Int32 = O_RDWR | O_CREAT | O_CLOEXEC, else message: String) throws {
        let descriptor = open(path, flags, 0o666)
        guard descriptor >= 0 else {
            throw StoreError(
                .readOnly, "\(path) can't be written. Check its permissions, or choose another --home.",
                cause: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // Once all properties have values, throwing runs deinit, too: then a second close would hit whatever another
            // thread has opened in between, such as a database.
            close(descriptor)
            throw StoreError(.locked, message)
        }
        self.descriptor = descriptor
    }

    /// Lets go of the lock itself, not only of the descriptor: a child that is just being started may still hold a copy.
    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
