/// A gallery or museum whose catalogue is mirrored.
public struct Partner: Payload {
    /// The API's singular name.
    public static let kind = "partner"
    /// The fields that have a column.
    public static let columns = Column.list(
        """
        slug name website email type artworks_count:integer artists_count:integer
        partner_show_documents_count:integer artist_documents_count:integer region contract_type
        relative_size:real founding_partner:flag default_profile_id:loose
        default_profile_public:flag subscription_plans_names:texts admin.id:loose admin.name admin.email
        """)

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues
    /// Flags by name, if the server sends them. They have no column, because flags are write-only for clients.
    public let partnerFlags: JSONObject?

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) {
        fields = read.fields
        partnerFlags = read.object("partner_flags")
    }

    /// The object in serving form; see ``ServingForm``.
    public func served(of partner: String) -> JSONObject? { ServingForm.partner(json) }

    /// The slug, which identifies the object in paths of the web site.
    public var slug: String? { text("slug") }
    /// The name.
    public var name: String? { text("name") }
    /// The address of the web site.
    public var website: String? { text("website") }
    /// The email address.
    public var email: String? { text("email") }
    /// The region.
    public var region: String? { text("region") }
    /// The number of artworks that the server states.
    public var artworksCount: Int? { integer("artworks_count") }
    /// The number of artists that the server states.
    public var artistsCount: Int? { integer("artists_count") }
}

/// The user that the mirror is logged in as.
public struct User: Payload {
    /// The API's singular name.
    public static let kind = "user"
    /// The fields that have a column.
    public static let columns = Column.list("name type email")

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) { fields = read.fields }

    /// The name.
    public var name: String? { text("name") }
    /// The type of user.
    public var type: String? { text("type") }
    /// The email address.
    public var email: String? { text("email") }
}

/// A place where artworks and shows are.
public struct Location: Payload {
    /// The API's singular name.
    public static let kind = "location"
    /// The fields that have a column.
    public static let columns = Column.list(
        """
        slug name address address_2 city state postal_code:loose country phone:loose geo_point.lat:real
        geo_point.lng:real
        """)

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) { fields = read.fields }

    /// The slug, which identifies the object in paths of the web site.
    public var slug: String? { text("slug") }
    /// The name.
    public var name: String? { text("name") }
    /// The street address.
    public var address: String? { text("address") }
    /// The city.
    public var city: String? { text("city") }
    /// The country.
    public var country: String? { text("country") }
    /// In degrees north.
    public var latitude: Double? { real("geo_point_lat") }
    /// In degrees east.
    public var longitude: Double? { real("geo_point_lng") }
}
