/// A group of artworks, put together by the partner.
public struct Album: Payload {
    /// The API's singular name.
    public static let kind = "album"
    /// The fields that have a column.
    public static let columns = Column.list("slug name description private:flag updated_at")

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues
    /// The ids of the artworks, in order and each once; `nil` if the server doesn't send them with the album.
    public let artworkIDs: [String]?

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) {
        fields = read.fields
        artworkIDs = read.ids("artwork_ids")
    }

    /// The slug, which names the object in paths of the web site.
    public var slug: String? { text("slug") }
    /// The name.
    public var name: String? { text("name") }
    /// The description.
    public var description: String? { text("description") }
    /// Whether the album is not public.
    public var isPrivate: Bool? { flag("private") }
    /// The time of the last change on the server (RFC 3339).
    public var updatedAt: String? { text("updated_at") }
}

/// A change of an album's fields by a person. All other fields keep their values.
public struct AlbumChange: Sendable, Hashable {
    /// The maximum length of a name that `mirror serve` accepts, in UTF-8 bytes.
    public static let maximumNameLength = 1_000
    /// The maximum length of a description, in UTF-8 bytes.
    public static let maximumDescriptionLength = 65_536

    /// The new name; `nil` for no change.
    public var name: String?
    /// The new description; empty to remove it, `nil` for no change.
    public var description: String?
    /// Whether the album is private; `nil` for no change.
    public var isPrivate: Bool?

    /// Creates a change. Default: nothing changes.
    public init(name: String? = nil, description: String? = nil, isPrivate: Bool? = nil) {
        self.name = name
        self.description = description
        self.isPrivate = isPrivate
    }

    package func applied(to json: JSONObject) -> JSONObject {
        var album = json
        if let name { album["name"] = .string(name) }
        if let description { album["description"] = description.isEmpty ? nil : .string(description) }
        if let isPrivate { album["private"] = .bool(isPrivate) }
        return album
    }
}
