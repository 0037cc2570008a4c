import Foundation

/// A standard stream of a child: where it reads from or writes to.
package enum ChildStream: Sendable {
    /// This process's stream.
    case inherited
    /// `/dev/null`: an empty input, or an output that is discarded.
    case nothing
    /// An open file of this process. It stays open in this process.
    case handle(FileHandle)
    /// The path of a file. As input it is opened for reading; as output it is created or truncated.
    case file(String)
    /// The child's end of a pipe. It is closed in this process when the child has started.
    case pipe(ChildPipe)

    /// The file of this process that becomes the child's standard input or output; nil if there is none.
    func handle(asInput: Bool) -> FileHandle? {
        switch self {
        case .handle(let handle): handle
        case .pipe(let pipe): asInput ? pipe.reading : pipe.writing
        case .inherited, .nothing, .file: nil
        }
    }

    /// Closes the child's end of a pipe in this process.
    ///
    /// Otherwise, a reader would never reach the end, because this process could still write.
    func closeChildEnd(asInput: Bool) {
        // The descriptor is closed even if `close` fails.
        if case .pipe = self { try? handle(asInput: asInput)?.close() }
    }
}

/// A pipe between this process and a child.
///
/// Other children don't inherit either end. Otherwise, a reader would wait until they have ended too.
package struct ChildPipe: Sendable {
    package let reading, writing: FileHandle

    /// Creates a pipe.
    ///
    /// - Throws: `POSIXError` if no more file descriptors are available.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        // Set at once, because a child that is started before this inherits both ends.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
