/// A work of art, with its artists, pictures and edition sets inline.
///
/// There are properties for the most common columns; ``Payload/text(_:)`` reads any other column.
public struct Artwork: Payload {
    /// The API's singular name.
    public static let kind = "artwork"
    /// The fields that have a column.
    public static let columns = Column.list(
        """
        slug title display category medium date published:flag availability price:loose
        internal_display_price:loose price_hidden:flag metric width:real height:real depth:real
        diameter:real dimensions.in dimensions.cm series signature provenance literature
        exhibition_history additional_information image_rights inventory_id:loose confidential_notes
        updated_at
        """)

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues
    /// The ids of the artists, in order and each once: from `artists`, or else from `artist`.
    public let artistIDs: [String]
    /// The pictures, in the server's order.
    public let images: [ImageEntry]
    /// The editions, in the server's order.
    public let editionSets: [EditionSet]

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) {
        fields = read.fields
        let artists = read.ids("artists") ?? []
        let artist = read.id(of: "artist")
        artistIDs = artists.isEmpty ? [artist].compactMap(\.self) : artists
        images = read.parts("images", ImageEntry.self)
        editionSets = read.parts("edition_sets", EditionSet.self)
    }

    /// The parts and references that a mirror stores in other tables.
    public var parts: Parts {
        var parts = Parts()
        (parts.artistIDs, parts.images, parts.editionSets) = (artistIDs, images, editionSets)
        return parts
    }

    /// The object in serving form; see ``ServingForm``.
    public func served(of partner: String) -> JSONObject? { ServingForm.artwork(json) }

    /// The slug, which identifies the object in paths of the web site.
    public var slug: String? { text("slug") }
    /// The title.
    public var title: String? { text("title") }
    /// The category, such as a painting.
    public var category: String? { text("category") }
    /// The materials.
    public var medium: String? { text("medium") }
    /// The date of creation, as human-readable text.
    public var date: String? { text("date") }
    /// Whether the artwork is published.
    public var published: Bool? { flag("published") }
    /// The availability, such as `for sale`.
    public var availability: String? { text("availability") }
    /// The price, as human-readable text.
    public var price: String? { text("price") }
    /// The dimensions as display text, in inches.
    public var dimensionsIn: String? { text("dimensions_in") }
    /// The dimensions as display text, in centimetres.
    public var dimensionsCm: String? { text("dimensions_cm") }
    /// The inventory number.
    public var inventoryID: String? { text("inventory_id") }
    /// The time of the last change on the server (RFC 3339).
    public var updatedAt: String? { text("updated_at") }
}

/// An edition of an artwork. Counts and prices are texts, because the API doesn't define their type.
public struct EditionSet: Payload {
    /// The API's singular name.
    public static let kind = "edition_set"
    /// The fields that have a column.
    public static let columns = Column.list(
        """
        edition_size:any editions:any available_editions:any artist_proofs:any prototypes:any availability
        dimensions.in dimensions.cm duration:loose prices:any price_hidden:flag
        """)

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) { fields = read.fields }

    /// The number of editions, as text.
    public var editions: String? { text("editions") }
    /// The availability, such as `for sale`.
    public var availability: String? { text("availability") }
    /// The dimensions as display text, in inches.
    public var dimensionsIn: String? { text("dimensions_in") }
    /// The dimensions as display text, in centimetres.
    public var dimensionsCm: String? { text("dimensions_cm") }
    /// The price, as human-readable text.
    public var prices: String? { text("prices") }
}
