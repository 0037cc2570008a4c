/// Makes the requests for a catalogue and reads the answers. A source is pure: it sends nothing.
///
/// The tree, the pull loop and the dry run access a server only through a source. If a server lacks a feature, the
/// source returns `nil` for it: no list of a kind, no changes by date, no version of an object.
///
/// A *version* is any text that changes with the object. If the server sends no version with the object itself, the
/// version in the list is stored with the object. If the next list has the same version, the object is current.
public protocol CatalogueSource: Sendable {
    /// The request for the list of a kind; `nil` if the server has no such list.
    func list(of kind: Kind) -> ListRequest?

    /// The request for a page of the list of a kind, from 1; `nil` (the default) if it can't be requested in pages.
    func page(_ number: Int, of kind: Kind) -> Route?

    /// Reads an answer to a request for a list, element by element.
    ///
    /// - Parameters:
    ///   - body: the answer's body.
    ///   - take: called for each element in order.
    /// - Returns: information about the list as a whole.
    /// - Throws: ``JSONError`` for a body that isn't a list; errors of `take`.
    func readList(_ body: [UInt8], _ take: (ListElement) throws -> Void) throws -> ListAnswerInfo

    /// The request for one object; `nil` if the objects of a kind can't be requested.
    func object(_ id: String, of kind: Kind) -> Route?

    /// Reads the answer to a request for one object.
    ///
    /// - Parameter id: the id that was requested.
    /// - Throws: ``JSONError`` or ``PayloadError`` for a body that contains no object.
    func readObject(_ body: [UInt8], id: String, of kind: Kind) throws -> SourceObject

    /// The request for the objects of a kind that changed at or after a time, answered with a list.
    ///
    /// - Parameter time: RFC 3339.
    /// - Returns: `nil` (the default) if the server can't select by time.
    func changes(of kind: Kind, since time: String) -> Route?

    /// Whether versions are ETags, so that they can be sent in conditional requests. Default: `true`.
    var versionsAreETags: Bool { get }

    /// Whether stored objects of a kind are current although the list has no version of them, because the run knows otherwise which
    /// objects changed, and has marked them for refetching. Default: `false`.
    func knowsChanges(of kind: Kind) -> Bool

    /// When an object of a kind may be deleted from the mirror. Default: ``DeletionRule/absence``.
    func deletion(of kind: Kind) -> DeletionRule
}

extension CatalogueSource {
    /// Default: `true`.
    public var versionsAreETags: Bool { true }
    /// Default: `nil`, no pages.
    public func page(_ number: Int, of kind: Kind) -> Route? { nil }
    /// Default: `false`.
    public func knowsChanges(of kind: Kind) -> Bool { false }
    /// Default: `nil`, no selection by time.
    public func changes(of kind: Kind, since time: String) -> Route? { nil }
    /// Default: ``DeletionRule/absence``.
    public func deletion(of kind: Kind) -> DeletionRule { .absence }
}

/// The request for a list.
public struct ListRequest: Sendable, Hashable {
    /// The request for the complete list, or for its first page.
    public let route: Route
    /// Whether `route` requests the first of several pages.
    public let isPaged: Bool
    /// The request to send if the server refuses a parameter of `route`; `nil` if there is none.
    public let fallback: Fallback?

    /// A request without a parameter that the server may refuse.
    public struct Fallback: Sendable, Hashable {
        /// The request without the parameter.
        public let route: Route
        /// The parameter, for messages: `private=true`.
        public let parameter: String
    }

    /// Creates a request for a list. Default: not paged, without a fallback.
    public init(_ route: Route, isPaged: Bool = false, fallback: Fallback? = nil) {
        self.route = route
        self.isPaged = isPaged
        self.fallback = fallback
    }
}

/// One element of a list.
public struct ListElement: Sendable {
    /// The element as received.
    public let value: JSONValue
    /// The element's id and fields; `nil` if it has no usable id. Such an element makes the list incomplete.
    public let entry: ListEntry?

    /// Creates an element.
    public init(_ value: JSONValue, entry: ListEntry?) {
        self.value = value
        self.entry = entry
    }
}

/// Information in an answer about the list as a whole.
public struct ListAnswerInfo: Sendable, Hashable {
    /// The number of members of the complete list; `nil` if the answer doesn't contain it.
    public var total: Int?
    /// Whether the answer is only a page, although the complete list was requested.
    public var isPage = false

    /// Creates the information. Default: a complete list whose number of members is not stated.
    public init(total: Int? = nil, isPage: Bool = false) {
        self.total = total
        self.isPage = isPage
    }
}

/// An object in a source's answer.
public struct SourceObject: Sendable, Hashable {
    /// The object's JSON; `nil` if the answer states that the object doesn't exist.
    public let json: JSONObject?
    /// The object's version; `nil` if the answer contains none.
    public let version: String?
    /// The objects that this one contains or names; `nil` if the source sends them in answers of their own.
    public var related: RelatedObjects?

    /// Creates an object. Default: without a version.
    public init(_ json: JSONObject?, version: String? = nil, related: RelatedObjects? = nil) {
        self.json = json
        self.version = version
        self.related = related
    }
}

/// What an object contains about other objects.
public struct RelatedObjects: Sendable, Hashable {
    /// The artists that it names, each once.
    public var artists: [JSONObject] = []
    /// The location that it names; `nil` if it names none.
    public var location: JSONObject?
    /// The ids of its artworks, in order; `nil` if it has no list of artworks.
    public var members: [String]?
    /// The number of its pictures on each host from which none are fetched.
    public var refusedPictures: [String: Int] = [:]
    /// The number of its pictures whose addresses aren't HTTP or HTTPS URLs.
    public var unusablePictures = 0

    /// Creates a value for an object that names no others.
    public init(artists: [JSONObject] = [], location: JSONObject? = nil, members: [String]? = nil) {
        self.artists = artists
        self.location = location
        self.members = members
    }
}

/// When an object may be deleted from the mirror.
public enum DeletionRule: Sendable, Hashable {
    /// When a complete list lacks the object.
    case absence
    /// Only when the source reports the object as deleted.
    case signal
    /// Never.
    case never
}
