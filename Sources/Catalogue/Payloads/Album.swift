/// A group of artworks that the partner made.
public struct Album: Payload {
    public static let kind = "album"
    public static let columns = Column.list(
        """
        slug name description private:INTEGER updated_at
        """)

    public let id: String
    public let json: JSONObject

    public let slug: String?
    public let name: String?
    public let description: String?
    public let isPrivate: Bool?
    public let updatedAt: String?

    /// Its artworks, in order and each once, where the server sends them inline; `nil` if it doesn't.
    public let artworkIDs: [String]?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        slug = read.text("slug")
        name = read.text("name")
        description = read.text("description")
        isPrivate = read.flag("private")
        updatedAt = read.text("updated_at")
        artworkIDs = read.ids("artwork_ids")
        warnings += read.warnings
    }

    public var values: [FieldValue] {
        [
            .init(slug), .init(name), .init(description), .init(isPrivate), .init(updatedAt),
        ]
    }
}
