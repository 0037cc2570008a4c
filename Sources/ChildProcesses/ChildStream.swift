import Foundation

/// What a child reads from, or writes to.
package enum ChildStream: Sendable {
    /// The same as this process.
    case inherited
    /// Nothing: an input that is at its end, an output that is thrown away.
    case nothing
    /// A file that is open here, and stays so.
    case handle(FileHandle)
    /// A file that is opened to read from; that is made, or emptied, to write to.
    case file(String)
    /// The other end of a pipe of which this process keeps one; it gives the child's end up.
    case pipe(ChildPipe)

    /// What it is of this process's own, for standard input or for an output.
    func handle(asInput: Bool) -> FileHandle? {
        switch self {
        case .handle(let handle): handle
        case .pipe(let pipe): asInput ? pipe.reading : pipe.writing
        case .inherited, .nothing, .file: nil
        }
    }

    /// Closes here what only the child has to have: a reader waits for an end as long as anybody could write.
    func leave(asInput: Bool) {
        // Even after an error it is closed.
        if case .pipe = self { try? handle(asInput: asInput)?.close() }
    }
}

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
