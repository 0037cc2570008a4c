import Catalogue

/// One object in the form in which it is stored. It is made from a payload before the transaction that writes it.
package struct ObjectRecord: Sendable {
    package let kind: Kind
    package let id: String
    /// One value for each of ``Kind/columns``, in that order.
    package let values: [FieldValue]
    /// The object as the server sent it, with all fields, in canonical JSON.
    package let json: String
    /// The ETag that the server sent with it, unchanged; `nil` if it sent none.
    package let etag: String?
    /// The body with which `mirror serve` answers; `nil` if that is ``json``.
    package let served: String?
    /// The ETag of the served body. It is computed with the record, so that the transaction doesn't wait for it.
    let servedETag: String
    package var parts: Parts
    /// Whether it was fetched because something refers to it, although the list of its kind doesn't contain it.
    package var isLinked = false
    /// The number of stored pictures that its source no longer offers since it was read before; for the log. Default 0.
    package var withdrawnPictures = 0

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

    /// Makes the record of an object that the server sent.
    package init(_ kind: Kind, _ object: any Payload, etag: String?, partner: String = "") {
        let own = object.parts
        self.init(
            kind: kind, id: object.id, values: object.values, json: object.json.canonicalText, etag: etag,
            served: object.served(of: partner)?.canonicalText,
            parts: Parts(
                artists: own.artistIDs, images: own.images.map { ImageRecord($0) },
                editionSets: own.editionSets, location: own.locationID))
    }

    /// The value of a column; `nil` if the kind has no such column.
    func value(of column: String) -> FieldValue? {
        kind.columns.firstIndex { $0.name == column }.flatMap { $0 < values.count ? values[$0] : nil }
    }

    func text(of column: String) -> String? {
        if case .text(let text)? = value(of: column) { text } else { nil }
    }

    /// The parts of an object, which are written in the same transaction as the object itself.
    package struct Parts: Sendable {
        /// An artwork's or show's artists, in order.
        package var artists: [String] = []
        package var images: [ImageRecord] = []
        package var editionSets: [EditionSet] = []
        /// A show's location.
        package var location: String?
        /// The objects that were gathered from an artwork, because the catalogue has no list of them: artists, and at most one
        /// location. They are written before the artwork. Default: none.
        package var gathered: [ObjectRecord] = []
        /// Where an artwork is, according to itself. Default: its place is not known from the artwork.
        package var place = Place.unknown

        /// Where an artwork is.
        package enum Place: Sendable, Hashable {
            /// Locations have lists of their artworks, or the catalogue says nothing.
            case unknown
            /// At no location.
            case none
            /// At the location with this id.
            case location(String)
        }
    }
}

/// A picture of an artwork or show, without its bytes.
package struct ImageRecord: Sendable {
    package let id: String
    /// One value for each of `ImageEntry.columns`.
    let values: [FieldValue]
    /// Digest of the picture's entry in its owner's JSON, without the mark of a withdrawn picture. As long as it doesn't
    /// change, the file isn't requested again.
    package let entry: String
    package let json: String
    let served: String?
    /// Its deep-zoom tiles; `nil` if it has none.
    var tiles: TilePyramid?
}

extension ImageRecord {
    /// Makes the record of a picture that the server sent.
    /// - Parameter show: the show in whose list of pictures it is. The URLs in the served JSON contain it.
    package init(_ image: ImageEntry, show: String? = nil) {
        let json = image.json.canonicalText
        self.init(
            id: image.id, values: image.values, entry: EntryDigest.of(image.fileText), json: json,
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
    /// Makes the record of a document that the server sent.
    package init(_ document: Document, owner: Owner, partner: String, etag: String?) {
        self.init(
            owner: owner, id: document.id, values: document.values, json: document.json.canonicalText,
            etag: etag,
            served: ServingForm.document(document.json, partner: partner, owner: owner)?.canonicalText)
    }
}

/// The result of requesting the file of a picture in one format, or of a document.
package struct FileRecord: Sendable {
    package let use: FileUse
    /// Digest of the entry in the owner's JSON from which the file was requested.
    let entry: String
    /// The new file; `nil` if the stored file is still current (``isCurrent``) or the server doesn't have the file.
    package let file: StoredFile?
    let etag: String?
    let lastModified: String?
    /// Whether the server confirmed the stored file (304).
    package let isCurrent: Bool
    /// The size in pixels of the new file, ``PixelSize/none`` if it has none; `nil` if it was not read.
    let pixels: PixelSize?

    package init(
        _ use: FileUse, entry: String, file: StoredFile?, etag: String?, lastModified: String?,
        isCurrent: Bool = false, pixels: PixelSize? = nil
    ) {
        self.use = use
        self.entry = entry
        self.file = file
        self.etag = etag
        self.lastModified = lastModified
        self.isCurrent = isCurrent
        self.pixels = pixels
    }

    /// Whether the server answered that it doesn't have the file.
    package var isUnavailable: Bool { file == nil && !isCurrent }
}
