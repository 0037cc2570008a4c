import Foundation

/// Which file is behind a path: whether it is still the same one, moved away, or another in its place.
struct FilePlace: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` where there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }
}
