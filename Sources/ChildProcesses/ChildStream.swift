import Foundation

/// What a child reads from, or writes to.
package enum ChildStream: Sendable {
    /// The same as this process.
    case inherited
    /// Nothing: an input that is at its end, an output that nobody reads.
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
        // It is closed for good, whatever is said of it.
        if case .pipe = self { try? handle(asInput: asInput)?.close() }
    }
}
