/// Someone who made artworks.
public struct Artist: Payload {
    public static let kind = "artist"
    public static let columns = Column.list(
        """
        slug name sortable_id display_name first middle last years birthday:loose deathday:loose
        nationality hometown awards biography blurb statement image_url updated_at
        """)

    public let fields: FieldValues

    public init(_ read: inout FieldReader) { fields = read.fields }

    public var slug: String? { text("slug") }
    public var name: String? { text("name") }
    public var displayName: String? { text("display_name") }
    /// A date or a year, as the server has it.
    public var birthday: String? { text("birthday") }
    /// A date or a year, as the server has it.
    public var deathday: String? { text("deathday") }
    public var nationality: String? { text("nationality") }
    public var biography: String? { text("biography") }
    public var updatedAt: String? { text("updated_at") }
}
