import Catalogue
import Crypto
import MirrorStore

extension ObjectRecord {
    /// An object as it is stored, made from a payload.
    ///
    /// - Parameters:
    ///   - etag: as it came on the wire.
    ///   - served: the body that a server offers, where it differs from what was said.
    init(
        _ kind: ObjectKind, _ payload: some Payload, etag: String?, served: JSONObject? = nil,
        parts: Parts = Parts()
    ) {
        self.init(
            kind: kind, id: payload.id, values: ColumnOrder.of(kind).values(payload), json: payload.json.text,
            etag: etag, served: served?.text, parts: parts)
    }

    static func artwork(_ artwork: Artwork, etag: String?) -> ObjectRecord {
        let served = ServingForm.artwork(artwork.json)
        var parts = Parts()
        parts.artists = artwork.artistIDs
        parts.images = artwork.images.map { ImageRecord($0, served: nil) }
        parts.editionSets = artwork.editionSets.map(EditionSetRecord.init)
        return ObjectRecord(.artwork, artwork, etag: etag, served: served, parts: parts)
    }

    static func show(_ show: Show, etag: String?) -> ObjectRecord {
        var parts = Parts()
        parts.artists = show.artistIDs
        parts.location = show.locationID
        return ObjectRecord(.show, show, etag: etag, served: ServingForm.show(show.json), parts: parts)
    }

    static func partner(_ partner: Partner, etag: String?) -> ObjectRecord {
        ObjectRecord(.partner, partner, etag: etag, served: ServingForm.partner(partner.json))
    }
}

extension EditionSetRecord {
    init(_ set: EditionSet) {
        self.init(values: ColumnOrder.editionSet.values(set), json: set.json.text)
    }
}

extension ImageRecord {
    init(_ image: ImageEntry, served: JSONObject?) {
        let json = image.json.text
        self.init(
            id: image.id, values: ColumnOrder.image.values(image), entry: Digest.short(of: json), json: json,
            served: served?.text)
    }
}

extension DocumentRecord {
    init(_ document: Document, owner: Owner, partner: String, etag: String?) {
        let place: DocumentOwner = owner.kind == .show ? .show(owner.id) : .artist(owner.id)
        self.init(
            owner: owner, id: document.id, title: document.title, filename: document.filename,
            size: document.size.map(Int64.init), uri: document.uri, json: document.json.text, etag: etag,
            served: ServingForm.document(document.json, partner: partner, owner: place)?.text)
    }
}

extension JSONObject {
    /// Canonical JSON.
    var text: String { canonicalText }
}

/// Digests of texts, for noticing that they changed.
enum Digest {
    static func short(of text: String) -> String {
        short(of: Array(text.utf8))
    }

    static func short(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(16).hexadecimal
    }
}
