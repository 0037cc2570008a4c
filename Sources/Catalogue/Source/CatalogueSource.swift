/// Where a catalogue comes from: which request fetches what, and what an answer says. It sends nothing.
///
/// The tree, the pull loop and the dry run know no other way to a server. A source that lacks something says so by its answer: no list
/// of a kind, no changes by date, no version of an object. A *version* is any text that changes with the object; where the
/// server sends none with the object itself, that of the list is stored with it, and the next list vouches for the object by it.
public protocol CatalogueSource: Sendable {
    /// How the list of a kind is requested; `nil` if there is none, and objects are known from elsewhere.
    func list(of kind: Kind) -> ListRequest?

    /// A page of the list of a kind, from 1; `nil` if it can't be requested in pages.
    func page(_ number: Int, of kind: Kind) -> Route?

    /// Reads one answer of a list, element by element.
    ///
    /// - Parameter take: called for each element in order.
    /// - Returns: what the answer says of the list as a whole.
    /// - Throws: ``JSONError`` for a body that is no list.
    func readList(_ body: [UInt8], _ take: (ListElement) throws -> Void) throws -> ListAnswerInfo

    /// The request for one object.
    func object(_ id: String, of kind: Kind) -> Route

    /// The request for several objects at once; `nil` (the default) if they have to be requested one by one.
    func objects(_ ids: [String], of kind: Kind) -> Route?

    /// Reads the answer to a request for objects. An object that the answer itself declares absent has no JSON.
    ///
    /// - Throws: ``JSONError`` or ``PayloadError`` for a body that holds no object.
    func readObjects(_ body: [UInt8], of kind: Kind) throws -> [SourceObject]

    /// What changed of a kind at or after a time (RFC 3339), as a list; `nil` if that can't be asked.
    func changes(of kind: Kind, since time: String) -> Route?

    /// Whether versions are ETags, so that a request may be made conditional by them. Default: `true`.
    var versionsAreETags: Bool { get }

    /// When an object of a kind may be deleted here. Default: when a complete list lacks it.
    func deletion(of kind: Kind) -> DeletionRule
}

extension CatalogueSource {
    public var versionsAreETags: Bool { true }
    public func page(_ number: Int, of kind: Kind) -> Route? { nil }
    public func objects(_ ids: [String], of kind: Kind) -> Route? { nil }
    public func changes(of kind: Kind, since time: String) -> Route? { nil }
    public func deletion(of kind: Kind) -> DeletionRule { .absence }
}

/// How a list is requested.
public struct ListRequest: Sendable, Hashable {
    /// Its request; where the list comes in pages, that of the first.
    public let route: Route
    /// Whether the list comes in pages from the beginning.
    public let isPaged: Bool
    /// What may be requested instead where the server refuses a parameter, and what that parameter is.
    public let fallback: Fallback?

    public struct Fallback: Sendable, Hashable {
        public let route: Route
        public let parameter: String
    }

    public init(_ route: Route, isPaged: Bool = false, fallback: Fallback? = nil) {
        self.route = route
        self.isPaged = isPaged
        self.fallback = fallback
    }
}

/// One element of a list.
public struct ListElement: Sendable {
    /// The element as it came.
    public let value: JSONValue
    /// What it says; `nil` if it has no usable id, so that the list isn't complete.
    public let entry: ListEntry?

    public init(_ value: JSONValue, entry: ListEntry?) {
        self.value = value
        self.entry = entry
    }
}

/// What one answer says of a list as a whole.
public struct ListAnswerInfo: Sendable, Hashable {
    /// How many members the list has, if the answer says so.
    public var total: Int?
    /// Whether the answer is one page of a list that was requested whole.
    public var isPage = false

    public init(total: Int? = nil, isPage: Bool = false) {
        self.total = total
        self.isPage = isPage
    }
}

/// An object as a source's answer has it.
public struct SourceObject: Sendable, Hashable {
    /// The object; `nil` if the answer says that there is none.
    public let json: JSONObject?
    /// Its version, where the answer carries one beside or in it.
    public let version: String?

    public init(_ json: JSONObject?, version: String? = nil) {
        self.json = json
        self.version = version
    }
}

/// When an object may be deleted here.
public enum DeletionRule: Sendable, Hashable {
    /// When a list that is proven complete lacks it.
    case absence
    /// Only when the source says that it is gone.
    case signal
    case never
}
