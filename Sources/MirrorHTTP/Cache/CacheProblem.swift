/// Why a cache is out of order, or had to start afresh. Never thrown at a session: without its cache it only asks more.
public struct CacheProblem: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The file that was there couldn't be used and was replaced by an empty one; the cache works.
        case replaced
        /// The file can't be made or opened; nothing is cached until it is opened again.
        case cannotOpen
        /// The file was deleted, or can't be read or written; nothing is cached until it is opened again.
        case failed
        /// The file belongs to another program. Only as a cause of `replaced`.
        case foreignFile
        /// The file was written by another version of this program. Only as a cause of `replaced`.
        case otherVersion
    }

    public let code: Code
    /// One sentence for a person, with the remedy if there is one.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
