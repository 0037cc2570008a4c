/// Someone who made artworks. `birthday` and `deathday` are dates or years as the server has them.
public struct Artist: Payload {
    public static let kind = "artist"
    public static let columns = Column.list(
        """
        slug name sortable_id display_name first middle last years birthday deathday
        nationality hometown awards biography blurb statement image_url updated_at
        """)

    public let id: String
    public let json: JSONObject

    public let slug: String?
    public let name: String?
    public let sortableID: String?
    public let displayName: String?
    public let first: String?
    public let middle: String?
    public let last: String?
    public let years: String?
    public let birthday: String?
    public let deathday: String?
    public let nationality: String?
    public let hometown: String?
    public let awards: String?
    public let biography: String?
    public let blurb: String?
    public let statement: String?
    public let imageURL: String?
    public let updatedAt: String?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        slug = read.text("slug")
        name = read.text("name")
        sortableID = read.text("sortable_id")
        displayName = read.text("display_name")
        first = read.text("first")
        middle = read.text("middle")
        last = read.text("last")
        years = read.text("years")
        birthday = read.looseText("birthday")
        deathday = read.looseText("deathday")
        nationality = read.text("nationality")
        hometown = read.text("hometown")
        awards = read.text("awards")
        biography = read.text("biography")
        blurb = read.text("blurb")
        statement = read.text("statement")
        imageURL = read.text("image_url")
        updatedAt = read.text("updated_at")
        warnings += read.warnings
    }

    public var values: [FieldValue] {
        [
            .init(slug), .init(name), .init(sortableID), .init(displayName), .init(first), .init(middle),
            .init(last), .init(years), .init(birthday), .init(deathday), .init(nationality),
            .init(hometown), .init(awards), .init(biography), .init(blurb), .init(statement),
            .init(imageURL), .init(updatedAt),
        ]
    }
}
