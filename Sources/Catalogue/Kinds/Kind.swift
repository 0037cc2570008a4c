/// A kind of object: its names, its table and columns, its paths in the API, its lists, and the type that reads it.
///
/// The built-in kinds are ``Kinds/standard``. Kinds are compared by identity, so create each once and keep it in a constant:
///
/// ```swift
/// let publication = Kind("publication", plural: "publications", read: Publication.self, isListed: true)
/// ```
public final class Kind: Sendable, Hashable, CustomStringConvertible {
    /// The singular name in the API's JSON and in commands; also the name of the table in the database.
    public let name: String
    /// The plural name in the API's paths and in messages; also the name of the partner's list.
    public let plural: String
    /// The type that reads an object's JSON and declares its columns.
    public let type: any Payload.Type
    /// Whether the partner has a list of the kind. Only then may objects be deleted because the list lacks them.
    public let isListed: Bool
    /// The lists under each object, in the order in which they are requested.
    public let lists: [ObjectList]
    /// The roles of an object's pictures, both in its own JSON and in its lists.
    package let imageRoles: [ImageRole]
    /// Whether an object's URL contains the partner: `/partner/{partner}/show/{id}` instead of `/artwork/{id}`.
    package let isUnderPartner: Bool
    /// Whether an object belongs to an owner, as a document belongs to a show or artist.
    package let isPart: Bool
    /// Whether objects can be edited in the mirror, so that their rows store changes that are not pushed yet.
    package let isEdited: Bool
    /// Whether an object's JSON contains its artists, which are stored in a join table.
    package let hasArtists: Bool
    /// Whether an object's JSON contains its location, which is stored in a column.
    package let hasLocation: Bool
    /// The column with the object's human-readable title.
    package let titleColumn: String
    /// The typical size of an object's JSON in bytes, for estimates before any object was fetched.
    package let typicalBytes: Double
    /// The kind's bit in the `refresh` mask of a page of events; `nil` if it has none.
    package let eventsBit: Int?

    /// Creates a kind.
    ///
    /// - Parameters:
    ///   - name: the singular name, also of the table. It must not be the name of another table of a mirror.
    ///   - plural: the name of the partner's list.
    ///   - type: reads the objects; its columns are the table's.
    ///   - isListed: whether the partner has a list of the kind. Default: `false`.
    ///   - lists: the lists under each object. Documents and pictures are stored for built-in kinds only.
    ///   - hasOwnPictures: whether an object's own JSON contains pictures. Default: `false`.
    ///   - isUnderPartner: whether an object's URL contains the partner. Default: `true`.
    ///   - isPart: whether an object belongs to an owner, as a document does. Default: `false`.
    ///   - isEdited: whether objects can be edited in the mirror. Default: `false`.
    ///   - hasArtists: whether an object's JSON contains its artists. Default: `false`.
    ///   - hasLocation: whether an object's JSON contains its location. Default: `false`.
    ///   - titleColumn: the column with the object's human-readable title. Default: `name`.
    ///   - typicalBytes: the typical size of an object's JSON in bytes, for estimates. Default: 1000.
    ///   - eventsBit: the kind's bit in the `refresh` mask of events. Default: none.
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

    /// The singular name.
    public var description: String { name }

    /// Whether both are the same instance.
    public static func == (left: Kind, right: Kind) -> Bool { left === right }
    /// Hashes the instance's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Kind {
    /// The gallery or museum itself.
    public static let partner = Kind(
        "partner", plural: "partners", read: Partner.self, typicalBytes: 800)
    /// The user that the mirror is logged in as.
    public static let user = Kind(
        "user", plural: "users", read: User.self, isUnderPartner: false, typicalBytes: 150)
    /// Places where artworks and shows are.
    public static let location = Kind(
        "location", plural: "locations", read: Location.self, isListed: true, lists: [.artworks],
        typicalBytes: 250, eventsBit: 8)
    /// Artists, with their documents.
    public static let artist = Kind(
        "artist", plural: "artists", read: Artist.self, isListed: true, lists: [.documents],
        isUnderPartner: false, typicalBytes: 700, eventsBit: 16)
    /// Works of art, with their pictures and edition sets.
    public static let artwork = Kind(
        "artwork", plural: "artworks", read: Artwork.self, isListed: true, hasOwnPictures: true,
        isUnderPartner: false, hasArtists: true, titleColumn: "title", typicalBytes: 1_500, eventsBit: 1)
    /// Groups of artworks, which can be edited.
    public static let album = Kind(
        "album", plural: "albums", read: Album.self, isListed: true, lists: [.artworks], isEdited: true,
        typicalBytes: 250, eventsBit: 4)
    /// Exhibitions, with their artworks, documents and pictures.
    public static let show = Kind(
        "show", plural: "shows", read: Show.self, isListed: true,
        lists: [.artworks, .documents, .installationShots, .cover], hasArtists: true, hasLocation: true,
        typicalBytes: 900, eventsBit: 2)
    /// Files of shows and artists.
    public static let document = Kind(
        "document", plural: "documents", read: Document.self, isPart: true, titleColumn: "title",
        typicalBytes: 300)
}

extension Kind {
    /// The name of the kind's table. Quote it in SQL.
    package var table: String { name }

    /// The column that refers to an object of the kind from other tables: `artist_id`.
    package var idColumn: String { "\(name)_id" }

    /// The table's columns that hold fields of the API, in the order of ``Payload/values``.
    public var columns: [Column] { type.columns }

    /// Whether each object has a list of artworks.
    package var hasMembers: Bool { lists.contains(.artworks) }

    package var hasPictures: Bool { !imageRoles.isEmpty }

    package var hasDocuments: Bool { lists.contains(.documents) }

    package var hasFiles: Bool { hasPictures || hasDocuments }

    package var hasSlug: Bool { has(column: "slug") }

    /// Whether slugs are unique within the kind, so that rivals for a slug have to be resolved.
    package var hasRivals: Bool { isListed && hasSlug }

    package func has(column name: String) -> Bool { columns.contains { $0.name == name } }
}

/// The kinds of a mirror, each before the kinds that refer to it.
public struct Kinds: Sendable {
    /// All kinds, in the order in which they are stored.
    public let all: [Kind]
    /// The kinds of which the partner has a list.
    public let listed: [Kind]
    private let byName: [String: Kind]

    /// Creates a collection of kinds, whose names must differ.
    /// - Parameter all: each kind before the kinds that refer to it.
    public init(_ all: [Kind]) {
        self.all = all
        listed = all.filter(\.isListed)
        byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    /// The kind with a name; `nil` if there is none.
    public subscript(_ name: String) -> Kind? { byName[name] }

    /// The kind whose objects are read as a type: `.artwork` for `Artwork.self`.
    public func kind(of type: any Payload.Type) -> Kind? { all.first { $0.type == type } }

    /// The kinds whose objects belong to no owner. The key of their tables is the id alone.
    package var objects: [Kind] { all.filter { !$0.isPart } }

    /// The built-in kinds.
    public static let standard = Kinds([
        .partner, .user, .location, .artist, .artwork, .album, .show, .document,
    ])
}
