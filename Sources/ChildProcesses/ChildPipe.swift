import Foundation

/// A pipe between this process and a child.
///
/// Neither end reaches another child that is started meanwhile, which would keep a reader waiting for the end.
package struct ChildPipe: Sendable {
    package let reading, writing: FileHandle

    /// - Throws: `POSIXError` where this process may have no more descriptors.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        // At once: a child that is started before has them.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
