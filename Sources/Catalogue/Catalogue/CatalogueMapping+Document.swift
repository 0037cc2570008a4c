extension CatalogueMapping {
    /// A document of a catalogue (`documents.jsonl`, which a catalogue may have) as the API has it.
    public struct Document: Sendable, Hashable {
        public let body: JSONObject
        public let owner: Owner
        /// The document's bytes are this text in UTF-8; `nil` where the catalogue has no text for it.
        public let text: String?
    }

    /// - Throws: ``PayloadError`` if it has no id, or belongs to neither a show nor an artist.
    public static func document(
        fromCatalogue source: JSONObject, partner: String
    ) throws(PayloadError) -> Document {
        guard source["id"]?.idText != nil else {
            throw PayloadError(kind: "document", message: "The document has no id.")
        }
        var body = unparked(source)
        let owner: Owner
        if let show = source["show_id"]?.idText {
            owner = Owner(.show, show)
        } else if let artist = source["artist_id"]?.idText {
            owner = Owner(.artist, artist)
        } else {
            throw PayloadError(
                kind: "document", message: "The document has neither a show_id nor an artist_id.")
        }
        body["\(owner.kind.name)_id"] = nil
        let text = source["text"]?.stringValue
        if let text {
            body["text"] = nil
            body["size"] = .number(JSONNumber(text.utf8.count))
        }
        body = ServingForm.document(body, partner: partner, owner: owner) ?? body
        body = parking(source, body, back: mappedDocument(body, owner: owner, text: text))
        return Document(body: body, owner: owner, text: text)
    }

    /// The catalogue's object of a document's body.
    /// - Parameter text: the document's bytes, if they are text.
    public static func document(
        toCatalogue body: JSONObject, owner: Owner, text: String?
    ) -> JSONObject {
        restoring(mappedDocument(body, owner: owner, text: text), from: body)
    }

    private static func mappedDocument(
        _ body: JSONObject, owner: Owner, text: String?
    ) -> JSONObject {
        var result = unparked(body)
        result["uri"] = nil
        result["\(owner.kind.name)_id"] = .string(owner.id)
        if let text {
            result["text"] = .string(text)
            result["size"] = nil
        }
        return result
    }
}
