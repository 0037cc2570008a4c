import Foundation

/// The lock that permits one run per mirror at a time.
///
/// It is an advisory lock on the file `lock`. It is released when the value is deallocated or the process ends.
public final class RunLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, or fails at once.
    ///
    /// - Throws: ``StoreError/Code/locked`` if another run has the lock; `readOnly` if the file can't be created.
    public convenience init(_ folder: MirrorFolder) throws {
        try self.init(folder.lock, else: Self.lockedMessage(folder))
    }

    private static func lockedMessage(_ folder: MirrorFolder) -> String {
        "Another run is working on \(folder.name). Wait until it has ended, or stop it."
    }

    /// Takes the lock in a folder that this user can't write, because a user who can may have a run in progress.
    ///
    /// `nil` if there is no lock file, because no run was ever started.
    ///
    /// - Throws: the errors of ``init(_:)``.
    package convenience init?(reading folder: MirrorFolder) throws {
        guard access(folder.lock, F_OK) == 0 else { return nil }
        try self.init(folder.lock, O_RDONLY | O_CLOEXEC, else: Self.lockedMessage(folder))
    }

    /// Takes the lock of a watch, `watch.lock`. It permits one watch per mirror and doesn't exclude runs.
    ///
    /// - Throws: the errors of ``init(_:)``.
    package convenience init(watching folder: MirrorFolder) throws {
        try self.init(
            folder.watchLock,
            else: "\(folder.name) is watched already. Stop the other mirror watch, or let it continue.")
    }

    private init(_ path: String, _ flags: Int32 = O_RDWR | O_CREAT | O_CLOEXEC, else message: String) throws {
        let descriptor = open(path, flags, 0o666)
        guard descriptor >= 0 else {
            throw StoreError(
                .readOnly, "\(path) can't be written. Check its permissions, or choose another --home.",
                cause: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // Close before `self.descriptor` is set: after that, throwing runs deinit, too, and a second close could close a
            // file that another thread has opened in between.
            close(descriptor)
            throw StoreError(.locked, message)
        }
        self.descriptor = descriptor
    }

    /// Unlocks explicitly: a child process that is being started may still have a copy of the descriptor.
    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
