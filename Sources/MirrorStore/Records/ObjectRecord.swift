import Catalogue
import Crypto

/// One object as it is to be stored: the store's own neutral form, made from a payload above it.
package struct ObjectRecord: Sendable {
    package let kind: Kind
    package let id: String
    /// One value for each of ``Kind/columns``, in that order.
    package let values: [FieldValue]
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
        kind: Kind, id: String, values: [FieldValue], json: String, etag: String?,
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

    /// An object as the server sent it.
    package init(_ kind: Kind, _ object: any Payload, etag: String?, partner: String = "") {
        var parts = Parts()
        let own = object.parts
        (parts.artists, parts.location) = (own.artistIDs, own.locationID)
        parts.images = own.images.map { ImageRecord($0) }
        parts.editionSets = own.editionSets.map(EditionSetRecord.init)
        self.init(
            kind: kind, id: object.id, values: object.values, json: object.json.canonicalText, etag: etag,
            served: object.served(of: partner)?.canonicalText, parts: parts)
    }

    /// The slug that the server gave it.
    var slug: String? {
        guard let index = kind.columns.firstIndex(where: { $0.name == "slug" }), index < values.count,
            case .text(let slug) = values[index]
        else { return nil }
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

/// An edition set of an artwork.
package struct EditionSetRecord: Sendable {
    package static let columns = ["id"] + EditionSet.columns.map(\.name)
    /// One value for each of ``columns``.
    package let values: [FieldValue]
    package let json: String

    package init(_ set: EditionSet) {
        values = [.text(set.id)] + set.values
        json = set.json.canonicalText
    }
}

/// A picture of an artwork or show, without its bytes.
package struct ImageRecord: Sendable {
    package let id: String
    /// One value for each of `ImageEntry.columns`.
    package let values: [FieldValue]
    /// Digest of the picture's entry in its owner's JSON: as long as it stays, the file isn't asked for again.
    package let entry: String
    package let json: String
    package let served: String?

    package init(id: String, values: [FieldValue], entry: String, json: String, served: String?) {
        self.id = id
        self.values = values
        self.entry = entry
        self.json = json
        self.served = served
    }

    /// A picture as the server sent it.
    /// - Parameter show: the show in whose list it is, which makes the address of the served one.
    package init(_ image: ImageEntry, show: String? = nil) {
        let json = image.json.canonicalText
        self.init(
            id: image.id, values: image.values, entry: EntryDigest.of(json), json: json,
            served: show.flatMap { ServingForm.showImage(image.json, show: $0) }?.canonicalText)
    }
}

/// The digest of a picture's or document's JSON.
package enum EntryDigest {
    package static func of(_ text: String) -> String { of(Array(text.utf8)) }

    package static func of(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(16).hexadecimal
    }
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

    /// A document as the server sent it.
    package init(_ document: Document, owner: Owner, partner: String, etag: String?) {
        self.init(
            owner: owner, id: document.id, title: document.title, filename: document.filename,
            size: document.size.map(Int64.init), uri: document.uri, json: document.json.canonicalText,
            etag: etag,
            served: ServingForm.document(document.json, partner: partner, owner: owner)?.canonicalText)
    }
}
