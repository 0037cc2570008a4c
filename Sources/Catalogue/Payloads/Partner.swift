/// A gallery or museum whose catalogue is mirrored.
public struct Partner: Payload {
    public static let kind = "partner"
    public static let columns = Column.list(
        """
        slug name website email type artworks_count:integer artists_count:integer
        partner_show_documents_count:integer artist_documents_count:integer region contract_type
        relative_size:real founding_partner:flag default_profile_id:loose
        default_profile_public:flag subscription_plans_names:texts admin.id:loose admin.name admin.email
        """)

    public let fields: FieldValues
    /// Flags by name, where a server sends them at all. They have no column: what is written there is write-only for clients.
    public let partnerFlags: JSONObject?

    public init(_ read: inout FieldReader) {
        fields = read.fields
        partnerFlags = read.object("partner_flags")
    }

    public func served(of partner: String) -> JSONObject? { ServingForm.partner(json) }

    public var slug: String? { text("slug") }
    public var name: String? { text("name") }
    public var website: String? { text("website") }
    public var email: String? { text("email") }
    public var region: String? { text("region") }
    public var artworksCount: Int? { integer("artworks_count") }
    public var artistsCount: Int? { integer("artists_count") }
}

/// Who the mirror is logged in as.
public struct User: Payload {
    public static let kind = "user"
    public static let columns = Column.list("name type email")

    public let fields: FieldValues

    public init(_ read: inout FieldReader) { fields = read.fields }

    public var name: String? { text("name") }
    public var type: String? { text("type") }
    public var email: String? { text("email") }
}

/// A place where artworks and shows are.
public struct Location: Payload {
    public static let kind = "location"
    public static let columns = Column.list(
        """
        slug name address address_2 city state postal_code:loose country phone:loose geo_point.lat:real
        geo_point.lng:real
        """)

    public let fields: FieldValues

    public init(_ read: inout FieldReader) { fields = read.fields }

    public var slug: String? { text("slug") }
    public var name: String? { text("name") }
    public var address: String? { text("address") }
    public var city: String? { text("city") }
    public var country: String? { text("country") }
    /// Degrees north.
    public var latitude: Double? { real("geo_point_lat") }
    /// Degrees east.
    public var longitude: Double? { real("geo_point_lng") }
}
