/// A gallery or museum whose catalogue is mirrored.
///
/// `partner_flags` has no column: what was written there is write-only for clients.
public struct Partner: Payload {
    public static let kind = "partner"
    public static let columns = Column.list(
        """
        slug name website email type artworks_count:INTEGER artists_count:INTEGER
        partner_show_documents_count:INTEGER artist_documents_count:INTEGER region contract_type
        relative_size:REAL founding_partner:INTEGER default_profile_id
        default_profile_public:INTEGER subscription_plans_names admin_id admin_name admin_email
        """)

    public let id: String
    public let json: JSONObject

    public let slug: String?
    public let name: String?
    public let website: String?
    public let email: String?
    public let type: String?
    public let artworksCount: Int?
    public let artistsCount: Int?
    public let partnerShowDocumentsCount: Int?
    public let artistDocumentsCount: Int?
    public let region: String?
    public let contractType: String?
    public let relativeSize: Double?
    public let foundingPartner: Bool?
    public let defaultProfileID: String?
    public let defaultProfilePublic: Bool?
    public let subscriptionPlansNames: [String]?
    public let adminID: String?
    public let adminName: String?
    public let adminEmail: String?
    /// Flags by name, where a server sends them at all.
    public let partnerFlags: JSONObject?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        slug = read.text("slug")
        name = read.text("name")
        website = read.text("website")
        email = read.text("email")
        type = read.text("type")
        artworksCount = read.integer("artworks_count")
        artistsCount = read.integer("artists_count")
        partnerShowDocumentsCount = read.integer("partner_show_documents_count")
        artistDocumentsCount = read.integer("artist_documents_count")
        region = read.text("region")
        contractType = read.text("contract_type")
        relativeSize = read.real("relative_size")
        foundingPartner = read.flag("founding_partner")
        defaultProfileID = read.reference("default_profile_id")
        defaultProfilePublic = read.flag("default_profile_public")
        subscriptionPlansNames = read.texts("subscription_plans_names")
        let admin = read.object("admin")
        adminID = read.reference("id", in: admin, of: "admin")
        adminName = read.text("name", in: admin, of: "admin")
        adminEmail = read.text("email", in: admin, of: "admin")
        partnerFlags = read.object("partner_flags")
        warnings += read.warnings
    }

    public func served(of partner: String) -> JSONObject? { ServingForm.partner(json) }

    public var values: [FieldValue] {
        [
            .init(slug), .init(name), .init(website), .init(email), .init(type), .init(artworksCount),
            .init(artistsCount), .init(partnerShowDocumentsCount), .init(artistDocumentsCount),
            .init(region), .init(contractType), .init(relativeSize), .init(foundingPartner),
            .init(defaultProfileID), .init(defaultProfilePublic), .init(json: subscriptionPlansNames),
            .init(adminID), .init(adminName), .init(adminEmail),
        ]
    }
}
