/// An object of a JSON Lines catalogue in the API's form.
public struct CatalogueEntry: Sendable, Hashable {
    /// The object's JSON.
    public let body: JSONObject
    /// The ids in the object's list of artworks, in order. Empty for a location: there, artworks name their location.
    public let artworkIDs: [String]
    /// The pictures in the object's lists of pictures, in order, each with an id.
    public let pictures: [ObjectList: [JSONObject]]

    /// Creates an entry. Default: no artworks and no pictures.
    public init(body: JSONObject, artworkIDs: [String] = [], pictures: [ObjectList: [JSONObject]] = [:]) {
        (self.body, self.artworkIDs, self.pictures) = (body, artworkIDs, pictures)
    }
}

/// A document of a JSON Lines catalogue (the optional file `documents.jsonl`) in the API's form.
public struct CatalogueDocument: Sendable, Hashable {
    /// The document's JSON.
    public let body: JSONObject
    /// The show or artist that the document belongs to.
    public let owner: Owner
    /// The content of the document's file, stored as UTF-8; `nil` if the catalogue has no text for it.
    public let text: String?

    /// Creates a document.
    public init(body: JSONObject, owner: Owner, text: String?) {
        (self.body, self.owner, self.text) = (body, owner, text)
    }
}

/// Maps objects of a JSON Lines catalogue to bodies of the API and back, without loss.
///
/// - A table (``FieldMapping``) maps the fields that the API names or writes differently. All other fields keep their
///   names and values.
/// - Values that are not part of an API body (the artworks of a show or album, a show's pictures, a document's text) are
///   returned beside the body.
/// - Bodies are in serving form (``ServingForm``), so that a chain of mirrors passes them on unchanged.
/// - Each mapping is checked by its inverse at once. If the inverse would not return the original (two fields mapped to
///   one name, a value of an unexpected type), the original fields are preserved in the body under ``originalsKey``. The
///   inverse restores them from there.
/// - The inverse also accepts bodies that did not come from a catalogue.
public enum CatalogueMapping {
    /// The field that preserves originals. It holds an object with two members: `own`, the original fields, and `not`,
    /// the names of fields that the original did not have.
    public static let originalsKey = "_catalogue"

    private static let ownKey = "own"
    private static let absentKey = "not"
    private static let members = "artwork_ids"

    /// The API's form of a catalogue's object.
    public static func entry(_ kind: Kind, fromCatalogue source: JSONObject) -> CatalogueEntry {
        var body = withoutOriginals(source)
        for field in FieldMapping.all(of: kind) { field.toAPI(&body) }
        var artworkIDs: [String] = [], pictures: [ObjectList: [JSONObject]] = [:]
        if namesMembers(kind) { artworkIDs = ids(body.removeValue(forKey: members)) }
        for list in kind.lists where list.imageRole != nil {
            let listed = body.removeValue(forKey: ImageMapping.field(of: list))
            pictures[list] = ImageMapping.images(listed, of: list, owner: source["id"]?.idText ?? "")
        }
        let entry = CatalogueEntry(body: body, artworkIDs: artworkIDs, pictures: pictures)
        return CatalogueEntry(
            body: addingOriginals(of: source, to: body, back: mapped(kind, entry)), artworkIDs: artworkIDs,
            pictures: pictures)
    }

    /// The catalogue's form of an object of the API.
    public static func object(_ kind: Kind, toCatalogue entry: CatalogueEntry) -> JSONObject {
        restoringOriginals(mapped(kind, entry), from: entry.body)
    }

    private static func mapped(_ kind: Kind, _ entry: CatalogueEntry) -> JSONObject {
        var result = withoutOriginals(entry.body)
        for field in FieldMapping.all(of: kind).reversed() { field.toCatalogue(&result) }
        if namesMembers(kind) { result[members] = array(entry.artworkIDs) }
        for (list, images) in entry.pictures where !images.isEmpty {
            result[ImageMapping.field(of: list)] = ImageMapping.value(images, of: list)
        }
        return result
    }

    /// Whether a catalogue's object lists its artworks. For a location, the artworks name their location instead.
    package static func namesMembers(_ kind: Kind) -> Bool { kind.hasMembers && kind != .location }

    // MARK: - Documents

    /// The API's form of a catalogue's document.
    ///
    /// - Parameters:
    ///   - source: a document with a field `show_id`, `artist_id`, … that names its owner.
    ///   - partner: the partner's id.
    ///   - kinds: the kinds among which the owner's kind is looked up.
    /// - Throws: ``PayloadError`` if it has no id or names no owner.
    public static func document(
        fromCatalogue source: JSONObject, partner: String, among kinds: Kinds = .standard
    ) throws(PayloadError) -> CatalogueDocument {
        guard source["id"]?.idText != nil else {
            throw PayloadError(kind: "document", message: "The document has no id.")
        }
        // A document of a show may also name an artist; the show is its owner. Hence the reverse order.
        let owners = kinds.all.filter(\.hasDocuments).reversed()
        let named = owners.lazy.compactMap { kind in
            source["\(kind.name)_id"]?.idText.map { Owner(kind, $0) }
        }
        guard let owner = named.first else {
            let fields = owners.map { "\("aeiou".contains($0.name.prefix(1)) ? "an" : "a") \($0.name)_id" }
            throw PayloadError(
                kind: "document", message: "The document has neither \(fields.joined(separator: " nor ")).")
        }
        var body = withoutOriginals(source)
        body["\(owner.kind.name)_id"] = nil
        let text = source["text"]?.stringValue
        if let text {
            body["text"] = nil
            body["size"] = .number(JSONNumber(text.utf8.count))
        }
        body = ServingForm.document(body, partner: partner, owner: owner) ?? body
        let back = mapped(CatalogueDocument(body: body, owner: owner, text: text))
        return CatalogueDocument(
            body: addingOriginals(of: source, to: body, back: back), owner: owner, text: text)
    }

    /// The catalogue's form of a document.
    public static func object(toCatalogue document: CatalogueDocument) -> JSONObject {
        restoringOriginals(mapped(document), from: document.body)
    }

    private static func mapped(_ document: CatalogueDocument) -> JSONObject {
        var result = withoutOriginals(document.body)
        result["uri"] = nil
        result["\(document.owner.kind.name)_id"] = .string(document.owner.id)
        if let text = document.text {
            result["text"] = .string(text)
            result["size"] = nil
        }
        return result
    }

    // MARK: - Preserved originals

    /// Adds to `body` every difference between `source` and `back`, the result of mapping `body` back.
    private static func addingOriginals(
        of source: JSONObject, to body: JSONObject, back: JSONObject
    ) -> JSONObject {
        if back == source { return body }
        var parked = JSONObject()
        let own = source.members.filter { back[$0.key] != $0.value }
        if !own.isEmpty { parked[ownKey] = .object(JSONObject(own.map { ($0.key, $0.value) })) }
        let absent = back.members.filter { source[$0.key] == nil }
        if !absent.isEmpty { parked[absentKey] = .array(absent.map { .string($0.key) }) }
        var result = body
        result[originalsKey] = .object(parked)
        return result
    }

    /// Restores the originals that ``addingOriginals(of:to:back:)`` added to `body`.
    ///
    /// The original list of artworks is restored only if the list was not edited since.
    private static func restoringOriginals(_ mapped: JSONObject, from body: JSONObject) -> JSONObject {
        guard case .object(let parked)? = body[originalsKey] else { return mapped }
        var result = mapped
        for own in parked[ownKey]?.objectValue?.members ?? [] {
            if own.key == members, ids(own.value) != ids(mapped[members]) { continue }
            result[own.key] = own.value
        }
        for name in parked[absentKey]?.arrayValue?.compactMap(\.stringValue) ?? [] {
            if name == members, !ids(mapped[members]).isEmpty { continue }
            result[name] = nil
        }
        return result
    }

    /// The object without the field ``originalsKey``.
    private static func withoutOriginals(_ object: JSONObject) -> JSONObject {
        var result = object
        result[originalsKey] = nil
        return result
    }

    /// The ids in an array, without elements that are not ids.
    private static func ids(_ value: JSONValue?) -> [String] { value?.arrayValue?.compactMap(\.idText) ?? [] }

    static func array(_ ids: [String]) -> JSONValue { .array(ids.map(JSONValue.string)) }
}

extension Kind {
    /// The name of the catalogue's file that holds the kind's objects.
    package var catalogueFile: String { "\(plural).jsonl" }
}

/// The order of ids in a catalogue: whole numbers first, by value, then all others by code point.
public enum CatalogueOrder {
    /// Whether `left` is ordered before `right`.
    ///
    /// Numbers may have any length. Equal numbers (`7`, `007`) are ordered by code point.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        switch (isWholeNumber(left), isWholeNumber(right)) {
        case (true, false): return true
        case (false, true): return false
        case (false, false): return UTF8Order.precedes(left, right)
        case (true, true):
            let a = left.utf8.drop { $0 == UInt8(ascii: "0") }
            let b = right.utf8.drop { $0 == UInt8(ascii: "0") }
            if a.count != b.count { return a.count < b.count }
            if a.elementsEqual(b) { return UTF8Order.precedes(left, right) }
            return a.lexicographicallyPrecedes(b)
        }
    }

    /// The ids in the order of a catalogue.
    public static func sorted(_ ids: some Sequence<String>) -> [String] { ids.sorted(by: precedes) }

    private static func isWholeNumber(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.allSatisfy(\.isASCIIDigit)
    }
}
