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
    /// The column that holds what a person calls the object.
    package let titleColumn: String
    /// The bytes of a typical object's JSON, for estimates of what was never seen.
    package let typicalBytes: Double
    /// The bit that stands for the kind in the `refresh` of a page of events; `nil` for none of its own.
    package let eventsBit: Int?

    /// - Parameters:
    ///   - plural: the name of the partner's list; by default the kind has none.
    ///   - type: reads the kind; its columns are the table's.
    ///   - titleColumn: the column that names an object to a person. Default: `name`.
    public init(
        _ name: String, plural: String, read type: any Payload.Type, isListed: Bool = false,
        lists: [ObjectList] = [], isUnderPartner: Bool = true, titleColumn: String = "name",
        typicalBytes: Double = 1_000
    ) {
        self.name = name
        self.plural = plural
        self.type = type
        self.isListed = isListed
        self.lists = lists
        self.isUnderPartner = isUnderPartner
        self.titleColumn = titleColumn
        self.typicalBytes = typicalBytes
        imageRoles = lists.compactMap(\.imageRole)
        (isPart, isEdited, eventsBit) = (false, false, nil)
    }

    /// The built-in kinds have more to say than an app's.
    fileprivate init(
        _ name: String, plural: String, _ type: any Payload.Type, isListed: Bool = true,
        lists: [ObjectList] = [], ownPictures: [ImageRole] = [], isUnderPartner: Bool = true,
        isPart: Bool = false, isEdited: Bool = false, titleColumn: String = "name", typicalBytes: Double,
        eventsBit: Int? = nil
    ) {
        self.name = name
        self.plural = plural
        self.type = type
        self.isListed = isListed
        self.lists = lists
        self.isUnderPartner = isUnderPartner
        self.isPart = isPart
        self.isEdited = isEdited
        self.titleColumn = titleColumn
        self.typicalBytes = typicalBytes
        self.eventsBit = eventsBit
        imageRoles = ownPictures + lists.compactMap(\.imageRole)
    }

    public var description: String { name }

    public static func == (left: Kind, right: Kind) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Kind {
    public static let partner = Kind(
        "partner", plural: "partners", Partner.self, isListed: false, typicalBytes: 800)
    public static let user = Kind(
        "user", plural: "users", User.self, isListed: false, isUnderPartner: false, typicalBytes: 150)
    public static let location = Kind(
        "location", plural: "locations", Location.self, lists: [.artworks], typicalBytes: 250, eventsBit: 8)
    public static let artist = Kind(
        "artist", plural: "artists", Artist.self, lists: [.documents], isUnderPartner: false,
        typicalBytes: 700, eventsBit: 16)
    public static let artwork = Kind(
        "artwork", plural: "artworks", Artwork.self, ownPictures: [.picture], isUnderPartner: false,
        titleColumn: "title", typicalBytes: 1_500, eventsBit: 1)
    public static let album = Kind(
        "album", plural: "albums", Album.self, lists: [.artworks], isEdited: true, typicalBytes: 250,
        eventsBit: 4)
    public static let show = Kind(
        "show", plural: "shows", Show.self, lists: [.artworks, .documents, .installationShots, .cover],
        typicalBytes: 900, eventsBit: 2)
    public static let document = Kind(
        "document", plural: "documents", Document.self, isListed: false, isPart: true, titleColumn: "title",
        typicalBytes: 300)
}

extension Kind {
    /// The table that holds the kind's objects; it has to be quoted in SQL.
    package var table: String { name }

    /// The columns of the table that hold fields of the API, in the order of ``Payload/values``.
    public var columns: [Column] { type.columns }

    /// Whether objects have a list of artworks.
    package var hasMembers: Bool { lists.contains(.artworks) }

    package var hasPictures: Bool { !imageRoles.isEmpty }

    package var hasDocuments: Bool { lists.contains(.documents) }

    package var hasFiles: Bool { hasPictures || hasDocuments }

    package var hasSlug: Bool { has(column: "slug") }

    package func has(column name: String) -> Bool { columns.contains { $0.name == name } }
}

/// A column of a kind's table, called like the field that it holds.
public struct Column: Sendable, Hashable {
    public let name: String
    /// The type that SQLite is told.
    public let type: String

    /// Columns from words such as `width:REAL`; without a type they hold text.
    static func list(_ words: String) -> [Column] {
        words.split(whereSeparator: \.isWhitespace).map { word in
            let parts = word.split(separator: ":")
            return Column(name: String(parts[0]), type: parts.count > 1 ? String(parts[1]) : "TEXT")
        }
    }
}
