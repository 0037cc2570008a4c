/// A place where artworks and shows are.
public struct Location: Payload {
    public static let kind = "location"
    public static let columns = Column.list(
        """
        slug name address address_2 city state postal_code country phone geo_point_lat:REAL
        geo_point_lng:REAL
        """)

    public let id: String
    public let json: JSONObject

    public let slug: String?
    public let name: String?
    public let address: String?
    public let address2: String?
    public let city: String?
    public let state: String?
    public let postalCode: String?
    public let country: String?
    public let phone: String?
    /// Degrees north.
    public let latitude: Double?
    /// Degrees east.
    public let longitude: Double?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        slug = read.text("slug")
        name = read.text("name")
        address = read.text("address")
        address2 = read.text("address_2")
        city = read.text("city")
        state = read.text("state")
        postalCode = read.looseText("postal_code")
        country = read.text("country")
        phone = read.looseText("phone")
        let point = read.object("geo_point")
        latitude = read.real("lat", in: point, of: "geo_point")
        longitude = read.real("lng", in: point, of: "geo_point")
        warnings += read.warnings
    }

    public var values: [FieldValue] {
        [
            .init(slug), .init(name), .init(address), .init(address2), .init(city), .init(state),
            .init(postalCode), .init(country), .init(phone), .init(latitude), .init(longitude),
        ]
    }
}
