import Foundation

/// One run per mirror at a time: an advisory lock on the file `lock`, which the system lets go of when the process ends.
public final class RunLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, or fails at once.
    ///
    /// - Throws: ``StoreError/Code/locked`` if another run holds it; `readOnly` if the file can't be made.
    public init(_ folder: MirrorFolder) throws {
        descriptor = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw StoreError(
                .readOnly,
                "\(folder.lock) can't be written. Check its permissions, or choose another --home.",
                cause: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(
                .locked, "Another run is working on \(folder.name). Wait until it has ended, or stop it.")
        }
    }

    deinit { close(descriptor) }
}
