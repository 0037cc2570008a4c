/// Something that is wrong with a mirror, or in which it differs from its server.
public struct Finding: Sendable, Hashable {
    public enum What: String, Sendable, CaseIterable {
        /// SQLite says that the file is damaged.
        case database
        /// Rows refer to something that isn't there.
        case reference
        /// A list says something else than what is stored of it.
        case list
        /// An object's row lacks what it must have.
        case object
        /// The pictures of an object are not those that it names.
        case picture
        /// The search index lacks something, or has too much.
        case search
        /// A file isn't there.
        case missing
        /// A file has another length than it should.
        case length
        /// A file's bytes are others than they were.
        case digest
        /// A file can't be read.
        case unreadable
        /// A damaged copy of a file is kept, as no better one could be fetched.
        case damaged
        /// A file of which the mirror knows nothing.
        case stray
        /// A file that is kept though it should have gone, or is noted to go though it is needed.
        case released
        /// The server has another version.
        case changed
        /// The server has it, the mirror doesn't.
        case new
        /// The mirror has it, the server doesn't.
        case gone

        /// Whether it is about the server, and so no fault of the mirror's.
        public var isRemote: Bool { [.changed, .new, .gone].contains(self) }
    }

    public let what: What
    public let kind: String?
    public let id: String?
    /// Relative to the mirror's folder.
    public let path: String?
    /// The canonical URL on the server, relative to its base, where it is one that differs.
    public let url: String?
    /// One sentence for a person.
    public let message: String

    public init(
        _ what: What, kind: String? = nil, id: String? = nil, path: String? = nil, url: String? = nil,
        message: String
    ) {
        self.what = what
        self.kind = kind
        self.id = id
        self.path = path
        self.url = url
        self.message = message
    }
}
