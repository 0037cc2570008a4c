import Catalogue

/// One object as it is stored: read from a payload, outside of the transaction that writes it.
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
        kind: Kind, id: String, values: [FieldValue], json: String, etag: String?, served: String? = nil,
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
        let own = object.parts
        self.init(
            kind: kind, id: object.id, values: object.values, json: object.json.canonicalText, etag: etag,
            served: object.served(of: partner)?.canonicalText,
            parts: Parts(
                artists: own.artistIDs, images: own.images.map { ImageRecord($0) },
                editionSets: own.editionSets, location: own.locationID))
    }

    /// What a column holds; `nil` where the kind has no such column.
    func value(of column: String) -> FieldValue? {
        kind.columns.firstIndex { $0.name == column }.flatMap { $0 < values.count ? values[$0] : nil }
    }

    func text(of column: String) -> String? {
        if case .text(let text)? = value(of: column) { text } else { nil }
    }

    /// What belongs to an object and changes with it, in one transaction.
    package struct Parts: Sendable {
        /// An artwork's or show's artists, in order.
        package var artists: [String] = []
        package var images: [ImageRecord] = []
        package var editionSets: [EditionSet] = []
        /// A show's location.
        package var location: String?
    }
}

/// A picture of an artwork or show, without its bytes.
package struct ImageRecord: Sendable {
    package let id: String
    /// One value for each of `ImageEntry.columns`.
    let values: [FieldValue]
    /// Digest of the picture's entry in its owner's JSON: as long as it stays, the file isn't asked for again.
    package let entry: String
    package let json: String
    let served: String?
    /// Its deep-zoom tiles; `nil` if it has none.
    var tiles: TilePyramid?
}

extension ImageRecord {
    /// A picture as the server sent it.
    /// - Parameter show: the show in whose list it is, which makes the address of the served one.
    package init(_ image: ImageEntry, show: String? = nil) {
        let json = image.json.canonicalText
        self.init(
            id: image.id, values: image.values, entry: EntryDigest.of(json), json: json,
            served: show.flatMap { ServingForm.showImage(image.json, show: $0) }?.canonicalText,
            tiles: image.tiles)
    }
}

/// A document of a show or artist, without its bytes.
package struct DocumentRecord: Sendable {
    package let owner: Owner
    package let id: String
    /// One value for each of `Document.columns`.
    let values: [FieldValue]
    package let json: String
    package let etag: String?
    let served: String?
}

extension DocumentRecord {
    /// A document as the server sent it.
    package init(_ document: Document, owner: Owner, partner: String, etag: String?) {
        self.init(
            owner: owner, id: document.id, values: document.values, json: document.json.canonicalText,
            etag: etag,
            served: ServingForm.document(document.json, partner: partner, owner: owner)?.canonicalText)
    }
}

/// The bytes of a picture in one format, or of a document.
package struct FileRecord: Sendable {
    package let use: FileUse
    /// Digest of the entry to which the bytes belong.
    let entry: String
    /// `nil` also where the server doesn't have the bytes.
    package let file: StoredFile?
    let etag: String?
    let lastModified: String?
    /// Whether the server confirmed the bytes that are here.
    package let isCurrent: Bool

    package init(
        _ use: FileUse, entry: String, file: StoredFile?, etag: String?, lastModified: String?,
        isCurrent: Bool = false
    ) {
        self.use = use
        self.entry = entry
        self.file = file
        self.etag = etag
        self.lastModified = lastModified
        self.isCurrent = isCurrent
    }

    /// Whether the server answered that it doesn't have the bytes.
    package var isUnavailable: Bool { file == nil && !isCurrent }
}
