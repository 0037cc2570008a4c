/// A group of artworks that the partner made.
public struct Album: Payload {
    public static let kind = "album"
    public static let columns = Column.list("slug name description private:flag updated_at")

    public let fields: FieldValues
    /// Its artworks, in order and each once, where the server sends them inline; `nil` if it doesn't.
    public let artworkIDs: [String]?

    public init(_ read: inout FieldReader) {
        fields = read.fields
        artworkIDs = read.ids("artwork_ids")
    }

    public var slug: String? { text("slug") }
    public var name: String? { text("name") }
    public var description: String? { text("description") }
    public var isPrivate: Bool? { flag("private") }
    public var updatedAt: String? { text("updated_at") }
}

/// What a person changes of an album's own fields; every other field stays as it is.
public struct AlbumChange: Sendable, Hashable {
    /// In UTF-8 bytes: what servers of ours take.
    public static let longestName = 1_000
    /// In UTF-8 bytes.
    public static let longestDescription = 65_536

    /// `nil` leaves a field as it is.
    public var name: String?
    /// An empty text takes the description away.
    public var description: String?
    /// `nil` leaves it as it is.
    public var isPrivate: Bool?

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
