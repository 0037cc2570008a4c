/// A kind of object, and everything that follows from it: its names, its table and columns, its place in the API, the lists
/// under it, and how it is read.
///
/// The built-in kinds are ``Kinds/standard``. A kind is compared by identity, so each is made once and kept in a constant:
///
/// ```swift
/// let publication = Kind("publication", plural: "publications", read: Publication.self, isListed: true)
/// ```
public final class Kind: Sendable, Hashable, CustomStringConvertible {
    /// How the kind is called in the API's JSON, in commands, and in the database, where it is the name of the table.
    public let name: String
    /// The name of the partner's list of it, in the API's paths and in messages.
    public let plural: String
    /// The type that reads an object's JSON and knows its columns.
    public let type: any Payload.Type
    /// Whether a partner lists its objects, so that what the list lacks may be deleted.
    public let isListed: Bool
    /// The lists that each object has, in the order in which they are requested.
    public let lists: [ObjectList]
    /// The pictures that an object has: those that its own JSON names, and those of its lists.
    package let imageRoles: [ImageRole]
    /// Whether an object's address contains the partner's: `/partner/{partner}/show/{id}`, not `/artwork/{id}`.
    package let isUnderPartner: Bool
    /// Whether an object stands under another one (a document under its show or artist), not for itself.
    package let isPart: Bool
    /// Whether people edit it here, so that rows carry what is still to be pushed.
    package let isEdited: Bool
    /// Whether an object names its artists, who are joined to it by a table of their own.
    package let hasArtists: Bool
    /// Whether an object names its location, in a column of its own.
    package let hasLocation: Bool
    /// The column that holds what a person calls the object.
    package let titleColumn: String
    /// The bytes of a typical object's JSON, for estimates of what was never seen.
    package let typicalBytes: Double
    /// The bit that stands for the kind in the `refresh` of a page of events; `nil` for none of its own.
    package let eventsBit: Int?

    /// - Parameters:
    ///   - name: also that of the table, so it must not be one that a mirror has for something else.
    ///   - plural: the name of the partner's list.
    ///   - type: reads the kind; its columns are the table's.
    ///   - isListed: whether the partner has such a list. Default: it has none.
    ///   - lists: those that each object has. Documents and pictures are stored for built-in kinds only.
    ///   - hasOwnPictures: whether an object's own JSON names pictures.
    ///   - titleColumn: the column that names an object to a person. Default: `name`.
    public init(
        _ name: String, plural: String, read type: any Payload.Type, isListed: Bool = false,
        lists: [ObjectList] = [], hasOwnPictures: Bool = false, isUnderPartner: Bool = true,
        isPart: Bool = false, isEdited: Bool = false, hasArtists: Bool = false, hasLocation: Bool = false,
        titleColumn: String = "name",
        typicalBytes: Double = 1_000, eventsBit: Int? = nil
    ) {
        self.name = name
        self.plural = plural
        self.type = type
        self.isListed = isListed
        self.lists = lists
        self.isUnderPartner = isUnderPartner
        self.isPart = isPart
        self.isEdited = isEdited
        self.hasArtists = hasArtists
        self.hasLocation = hasLocation
        self.titleColumn = titleColumn
        self.typicalBytes = typicalBytes
        self.eventsBit = eventsBit
        imageRoles = (hasOwnPictures ? [.picture] : []) + lists.compactMap(\.imageRole)
    }

    public var description: String { name }

    public static func == (left: Kind, right: Kind) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Kind {
    public static let partner = Kind(
        "partner", plural: "partners", read: Partner.self, typicalBytes: 800)
    public static let user = Kind(
        "user", plural: "users", read: User.self, isUnderPartner: false, typicalBytes: 150)
    public static let location = Kind(
        "location", plural: "locations", read: Location.self, isListed: true, lists: [.artworks],
        typicalBytes: 250, eventsBit: 8)
    public static let artist = Kind(
        "artist", plural: "artists", read: Artist.self, isListed: true, lists: [.documents],
        isUnderPartner: false, typicalBytes: 700, eventsBit: 16)
    public static let artwork = Kind(
        "artwork", plural: "artworks", read: Artwork.self, isListed: true, hasOwnPictures: true,
        isUnderPartner: false, hasArtists: true, titleColumn: "title", typicalBytes: 1_500, eventsBit: 1)
    public static let album = Kind(
        "album", plural: "albums", read: Album.self, isListed: true, lists: [.artworks], isEdited: true,
        typicalBytes: 250, eventsBit: 4)
    public static let show = Kind(
        "show", plural: "shows", read: Show.self, isListed: true,
        lists: [.artworks, .documents, .installationShots, .cover], hasArtists: true, hasLocation: true,
        typicalBytes: 900, eventsBit: 2)
    public static let document = Kind(
        "document", plural: "documents", read: Document.self, isPart: true, titleColumn: "title",
        typicalBytes: 300)
}

extension Kind {
    /// The table that holds the kind's objects; it has to be quoted in SQL.
    package var table: String { name }

    /// The column of other tables that holds an object's id: of what belongs to the object, or refers to it.
    package var idColumn: String { "\(name)_id" }

    /// The columns of the table that hold fields of the API, in the order of ``Payload/values``.
    public var columns: [Column] { type.columns }

    /// Whether objects have a list of artworks.
    package var hasMembers: Bool { lists.contains(.artworks) }

    package var hasPictures: Bool { !imageRoles.isEmpty }

    package var hasDocuments: Bool { lists.contains(.documents) }

    package var hasFiles: Bool { hasPictures || hasDocuments }

    package var hasSlug: Bool { has(column: "slug") }

    /// Whether no two objects of the kind may have the same slug: the rivals for one are settled.
    package var hasRivals: Bool { isListed && hasSlug }

    package func has(column name: String) -> Bool { columns.contains { $0.name == name } }
}

/// The kinds that a mirror holds, each before those that refer to it.
public struct Kinds: Sendable {
    /// All kinds, in the order in which they are stored.
    public let all: [Kind]
    /// Those that a partner lists.
    public let listed: [Kind]
    private let byName: [String: Kind]

    public init(_ all: [Kind]) {
        self.all = all
        listed = all.filter(\.isListed)
        byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    /// The kind of that name, if there is one.
    public subscript(_ name: String) -> Kind? { byName[name] }

    /// The kind whose objects are read as a type: `.artwork` for `Artwork.self`.
    public func kind(of type: any Payload.Type) -> Kind? { all.first { $0.type == type } }

    /// Those that stand for themselves, each with a table whose key is its id.
    package var objects: [Kind] { all.filter { !$0.isPart } }

    /// The built-in kinds.
    public static let standard = Kinds([
        .partner, .user, .location, .artist, .artwork, .album, .show, .document,
    ])
}
