/// A work of art, with its artists, pictures and edition sets inline.
public struct Artwork: Payload {
    public static let kind = "artwork"
    public static let columns = Column.list(
        """
        slug title display category medium date published:INTEGER availability price
        internal_display_price price_hidden:INTEGER metric width:REAL height:REAL depth:REAL
        diameter:REAL dimensions_in dimensions_cm series signature provenance literature
        exhibition_history additional_information image_rights inventory_id confidential_notes
        updated_at
        """)

    public let id: String
    public let json: JSONObject

    public let slug: String?
    public let title: String?
    public let display: String?
    public let category: String?
    public let medium: String?
    public let date: String?
    public let published: Bool?
    public let availability: String?
    public let price: String?
    public let internalDisplayPrice: String?
    public let priceHidden: Bool?
    public let metric: String?
    public let width: Double?
    public let height: Double?
    public let depth: Double?
    public let diameter: Double?
    /// Display text in inches.
    public let dimensionsIn: String?
    /// Display text in centimetres.
    public let dimensionsCm: String?
    public let series: String?
    public let signature: String?
    public let provenance: String?
    public let literature: String?
    public let exhibitionHistory: String?
    public let additionalInformation: String?
    public let imageRights: String?
    public let inventoryID: String?
    public let confidentialNotes: String?
    public let updatedAt: String?

    /// Who made it, in order and each once: from `artists`, else from `artist`.
    public let artistIDs: [String]
    /// The artists as objects, as far as the server sends more than ids.
    public let inlineArtists: [JSONObject]
    /// The pictures, in the server's order.
    public let images: [ImageEntry]
    public let editionSets: [EditionSet]

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        slug = read.text("slug")
        title = read.text("title")
        display = read.text("display")
        category = read.text("category")
        medium = read.text("medium")
        date = read.text("date")
        published = read.flag("published")
        availability = read.text("availability")
        price = read.looseText("price")
        internalDisplayPrice = read.looseText("internal_display_price")
        priceHidden = read.flag("price_hidden")
        metric = read.text("metric")
        width = read.real("width")
        height = read.real("height")
        depth = read.real("depth")
        diameter = read.real("diameter")
        let dimensions = read.object("dimensions")
        dimensionsIn = read.text("in", in: dimensions, of: "dimensions")
        dimensionsCm = read.text("cm", in: dimensions, of: "dimensions")
        series = read.text("series")
        signature = read.text("signature")
        provenance = read.text("provenance")
        literature = read.text("literature")
        exhibitionHistory = read.text("exhibition_history")
        additionalInformation = read.text("additional_information")
        imageRights = read.text("image_rights")
        inventoryID = read.reference("inventory_id")
        confidentialNotes = read.text("confidential_notes")
        updatedAt = read.text("updated_at")
        inlineArtists = Self.inlineArtists(json)
        let artists = read.ids("artists") ?? []
        let artist = read.object("artist")
        artistIDs =
            artists.isEmpty ? [read.reference("id", in: artist, of: "artist")].compactMap(\.self) : artists
        images = read.parts("images", ImageEntry.self)
        editionSets = read.parts("edition_sets", EditionSet.self)
        warnings += read.warnings
    }

    public var parts: Parts {
        var parts = Parts()
        (parts.artistIDs, parts.images, parts.editionSets) = (artistIDs, images, editionSets)
        return parts
    }

    public func served(of partner: String) -> JSONObject? { ServingForm.artwork(json) }

    public var values: [FieldValue] {
        [
            .init(slug), .init(title), .init(display), .init(category), .init(medium), .init(date),
            .init(published), .init(availability), .init(price), .init(internalDisplayPrice),
            .init(priceHidden), .init(metric), .init(width), .init(height), .init(depth), .init(diameter),
            .init(dimensionsIn), .init(dimensionsCm), .init(series), .init(signature), .init(provenance),
            .init(literature), .init(exhibitionHistory), .init(additionalInformation), .init(imageRights),
            .init(inventoryID), .init(confidentialNotes), .init(updatedAt),
        ]
    }

    private static func inlineArtists(_ json: JSONObject) -> [JSONObject] {
        if let artists = json["artists"]?.arrayValue, !artists.isEmpty {
            return artists.compactMap(\.objectValue)
        }
        return [json["artist"]?.objectValue].compactMap(\.self)
    }
}
