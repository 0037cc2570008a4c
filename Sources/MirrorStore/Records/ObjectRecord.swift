import Catalogue

/// One object as it is to be stored: the store's own neutral form, made from a payload above it.
package struct ObjectRecord: Sendable {
    package let kind: ObjectKind
    package let id: String
    /// One value for each of ``ObjectKind/columns``, in that order.
    package let values: [ColumnValue]
    /// The whole object as the server said it, in canonical JSON.
    package let json: String
    /// The ETag that came with it, as on the wire; `nil` if the server sent none.
    package let etag: String?
    /// The body that a server offers, where it is not `json` itself.
    package let served: String?
    /// The ETag of that body: made with the record, beside other work, and not in a transaction.
    let servedETag: String
    package var parts: Parts
    /// Fetched because something refers to it, though the list of its kind doesn't name it.
    package var isLinked = false

    package init(
        kind: ObjectKind, id: String, values: [ColumnValue], json: String, etag: String?,
        served: String? = nil,
        parts: Parts = Parts()
    ) {
        self.kind = kind
        self.id = id
        self.values = values
        self.json = json
        self.etag = etag
        self.served = served
        servedETag = EntityTag.strong(of: served ?? json)
        self.parts = parts
    }

    /// The slug that the server gave it.
    var slug: String? {
        guard let index = kind.slugIndex, index < values.count, case .text(let slug) = values[index] else {
            return nil
        }
        return slug
    }

    /// What belongs to an object and changes with it, in one transaction.
    package struct Parts: Sendable {
        /// An artwork's or show's artists, in order.
        package var artists: [String] = []
        package var images: [ImageRecord] = []
        package var editionSets: [EditionSetRecord] = []
        /// A show's location.
        package var location: String?

        package init() {}
    }
}

/// A value of a column, free of any library's type.
package enum ColumnValue: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int64)
    case real(Double)
}

/// An edition set of an artwork.
package struct EditionSetRecord: Sendable {
    package static let columns = [
        "id", "edition_size", "editions", "available_editions", "artist_proofs", "prototypes", "availability",
        "dimensions_in", "dimensions_cm", "duration", "prices", "price_hidden",
    ]
    /// One value for each of ``columns``.
    package let values: [ColumnValue]
    package let json: String

    package init(values: [ColumnValue], json: String) {
        self.values = values
        self.json = json
    }
}

/// A picture of an artwork or show, without its bytes.
package struct ImageRecord: Sendable {
    /// Columns of the API's fields, with their types; `position` is the place in the list.
    package static let columns: [ObjectKind.Column] = ObjectKind.columns(
        """
        image_url image_versions is_default:INTEGER caption aspect_ratio:REAL original_width:INTEGER
        original_height:INTEGER max_tiled_width:INTEGER max_tiled_height:INTEGER tile_size:INTEGER tile_base_url
        tile_format tile_overlap:INTEGER
        """)

    package let id: String
    /// One value for each of ``columns``.
    package let values: [ColumnValue]
    /// Digest of the picture's entry in its owner's JSON: as long as it stays, the file isn't asked for again.
    package let entry: String
    package let json: String
    package let served: String?

    package init(id: String, values: [ColumnValue], entry: String, json: String, served: String?) {
        self.id = id
        self.values = values
        self.entry = entry
        self.json = json
        self.served = served
    }
}

/// Whose a picture or document is.
package struct Owner: Sendable, Hashable {
    package let kind: ObjectKind
    package let id: String

    package init(_ kind: ObjectKind, _ id: String) {
        self.kind = kind
        self.id = id
    }
}

/// What a picture is to its owner.
package enum ImageRole: String, Sendable, Hashable {
    case picture, installation, cover

    /// Roles of which a show has a list each.
    package static let ofShows: [ImageRole] = [.installation, .cover]
}

/// A document of a show or artist, without its bytes.
package struct DocumentRecord: Sendable {
    package let owner: Owner
    package let id: String
    package let title: String?
    package let filename: String?
    package let size: Int64?
    package let uri: String?
    package let json: String
    package let etag: String?
    package let served: String?

    package init(
        owner: Owner, id: String, title: String?, filename: String?, size: Int64?, uri: String?, json: String,
        etag: String?, served: String?
    ) {
        self.owner = owner
        self.id = id
        self.title = title
        self.filename = filename
        self.size = size
        self.uri = uri
        self.json = json
        self.etag = etag
        self.served = served
    }
}
