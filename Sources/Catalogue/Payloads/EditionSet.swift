/// An edition of an artwork. Counts and prices are texts: the API leaves their type open.
public struct EditionSet: Payload {
    public static let kind = "edition_set"
    public static let columns = Column.list(
        """
        edition_size editions available_editions artist_proofs prototypes availability dimensions_in
        dimensions_cm duration prices price_hidden:INTEGER
        """)

    public let id: String
    public let json: JSONObject

    public let editionSize: String?
    public let editions: String?
    public let availableEditions: String?
    public let artistProofs: String?
    public let prototypes: String?
    public let availability: String?
    /// Display text in inches.
    public let dimensionsIn: String?
    /// Display text in centimetres.
    public let dimensionsCm: String?
    public let duration: String?
    public let prices: String?
    public let priceHidden: Bool?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        editionSize = read.anyText("edition_size")
        editions = read.anyText("editions")
        availableEditions = read.anyText("available_editions")
        artistProofs = read.anyText("artist_proofs")
        prototypes = read.anyText("prototypes")
        availability = read.text("availability")
        let dimensions = read.object("dimensions")
        dimensionsIn = read.text("in", in: dimensions, of: "dimensions")
        dimensionsCm = read.text("cm", in: dimensions, of: "dimensions")
        duration = read.looseText("duration")
        prices = read.anyText("prices")
        priceHidden = read.flag("price_hidden")
        warnings += read.warnings
    }

    public var values: [FieldValue] {
        [
            .init(editionSize), .init(editions), .init(availableEditions), .init(artistProofs),
            .init(prototypes), .init(availability), .init(dimensionsIn), .init(dimensionsCm),
            .init(duration), .init(prices), .init(priceHidden),
        ]
    }
}
