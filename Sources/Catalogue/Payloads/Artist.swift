/// A person or group that made artworks.
public struct Artist: Payload {
    /// The API's singular name.
    public static let kind = "artist"
    /// The fields that have a column.
    public static let columns = Column.list(
        """
        slug name sortable_id display_name first middle last years birthday:loose deathday:loose
        nationality hometown awards biography blurb statement image_url updated_at
        """)

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) { fields = read.fields }

    /// The slug, which identifies the object in paths of the web site.
    public var slug: String? { text("slug") }
    /// The name.
    public var name: String? { text("name") }
    /// The name to show instead of ``name``.
    public var displayName: String? { text("display_name") }
    /// A date or a year, as the server has it.
    public var birthday: String? { text("birthday") }
    /// A date or a year, as the server has it.
    public var deathday: String? { text("deathday") }
    /// The nationality.
    public var nationality: String? { text("nationality") }
    /// The biography.
    public var biography: String? { text("biography") }
    /// The time of the last change on the server (RFC 3339).
    public var updatedAt: String? { text("updated_at") }
}
