/// An exhibition. Its artworks, documents and pictures are lists of their own.
public struct Show: Payload {
    public static let kind = "show"
    public static let columns = Column.list(
        """
        slug name status start_at end_at description updated_at
        """)

    public let id: String
    public let json: JSONObject

    public let slug: String?
    public let name: String?
    public let status: String?
    public let startAt: String?
    public let endAt: String?
    public let description: String?
    public let updatedAt: String?
    /// Where it is: from `location`, else from `location_id`.
    public let locationID: String?

    /// Who shows, in order and each once.
    public let artistIDs: [String]
    /// The artists as objects, as far as the server sends more than ids.
    public let inlineArtists: [JSONObject]
    public let inlineLocation: JSONObject?
    public let partnerID: String?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        slug = read.text("slug")
        name = read.text("name")
        status = read.text("status")
        startAt = read.text("start_at")
        endAt = read.text("end_at")
        description = read.text("description")
        updatedAt = read.text("updated_at")
        inlineLocation = read.object("location")
        let place = read.reference("id", in: inlineLocation, of: "location")
        let named = read.reference("location_id")
        locationID = place ?? named
        artistIDs = read.ids("artists") ?? []
        inlineArtists = json["artists"]?.arrayValue?.compactMap(\.objectValue) ?? []
        let partner = read.object("partner")
        partnerID = read.reference("id", in: partner, of: "partner")
        warnings += read.warnings
    }

    public var parts: Parts {
        var parts = Parts()
        (parts.artistIDs, parts.locationID) = (artistIDs, locationID)
        return parts
    }

    public func served(of partner: String) -> JSONObject? { ServingForm.show(json) }

    public var values: [FieldValue] {
        [
            .init(slug), .init(name), .init(status), .init(startAt), .init(endAt), .init(description),
            .init(updatedAt),
        ]
    }
}
