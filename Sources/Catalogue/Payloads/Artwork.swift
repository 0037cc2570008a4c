/// A work of art, with its artists, pictures and edition sets inline.
///
/// The properties are those that an app mostly shows; ``Payload/text(_:)`` reads any other column.
public struct Artwork: Payload {
    public static let kind = "artwork"
    public static let columns = Column.list(
        """
        slug title display category medium date published:flag availability price:loose
        internal_display_price:loose price_hidden:flag metric width:real height:real depth:real
        diameter:real dimensions.in dimensions.cm series signature provenance literature
        exhibition_history additional_information image_rights inventory_id:loose confidential_notes
        updated_at
        """)

    public let fields: FieldValues
    /// Who made it, in order and each once: from `artists`, else from `artist`.
    public let artistIDs: [String]
    /// The pictures, in the server's order.
    public let images: [ImageEntry]
    public let editionSets: [EditionSet]

    public init(_ read: inout FieldReader) {
        fields = read.fields
        let artists = read.ids("artists") ?? []
        let artist = read.id(of: "artist")
        artistIDs = artists.isEmpty ? [artist].compactMap(\.self) : artists
        images = read.parts("images", ImageEntry.self)
        editionSets = read.parts("edition_sets", EditionSet.self)
    }

    public var parts: Parts {
        var parts = Parts()
        (parts.artistIDs, parts.images, parts.editionSets) = (artistIDs, images, editionSets)
        return parts
    }

    public func served(of partner: String) -> JSONObject? { ServingForm.artwork(json) }

    public var slug: String? { text("slug") }
    public var title: String? { text("title") }
    public var category: String? { text("category") }
    public var medium: String? { text("medium") }
    public var date: String? { text("date") }
    public var published: Bool? { flag("published") }
    public var availability: String? { text("availability") }
    public var price: String? { text("price") }
    /// Display text in inches.
    public var dimensionsIn: String? { text("dimensions_in") }
    /// Display text in centimetres.
    public var dimensionsCm: String? { text("dimensions_cm") }
    public var inventoryID: String? { text("inventory_id") }
    public var updatedAt: String? { text("updated_at") }
}

/// An edition of an artwork. Counts and prices are texts: the API leaves their type open.
public struct EditionSet: Payload {
    public static let kind = "edition_set"
    public static let columns = Column.list(
        """
        edition_size:any editions:any available_editions:any artist_proofs:any prototypes:any availability
        dimensions.in dimensions.cm duration:loose prices:any price_hidden:flag
        """)

    public let fields: FieldValues

    public init(_ read: inout FieldReader) { fields = read.fields }

    public var editions: String? { text("editions") }
    public var availability: String? { text("availability") }
    /// Display text in inches.
    public var dimensionsIn: String? { text("dimensions_in") }
    /// Display text in centimetres.
    public var dimensionsCm: String? { text("dimensions_cm") }
    public var prices: String? { text("prices") }
}
