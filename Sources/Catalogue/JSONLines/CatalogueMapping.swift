/// An object of a JSON Lines catalogue as the API has it.
public struct CatalogueEntry: Sendable, Hashable {
    public let body: JSONObject
    /// The object's list of artworks, in order. A location has none: the artworks name it.
    public let artworkIDs: [String]
    /// What its lists of pictures hold as the API has them, in order; each picture has an id of its own.
    public let pictures: [ObjectList: [JSONObject]]

    public init(body: JSONObject, artworkIDs: [String] = [], pictures: [ObjectList: [JSONObject]] = [:]) {
        (self.body, self.artworkIDs, self.pictures) = (body, artworkIDs, pictures)
    }
}

/// A document of a JSON Lines catalogue (`documents.jsonl`, which a catalogue may have) as the API has it.
public struct CatalogueDocument: Sendable, Hashable {
    public let body: JSONObject
    public let owner: Owner
    /// The document's bytes are this text in UTF-8; `nil` where the catalogue has no text for it.
    public let text: String?

    public init(body: JSONObject, owner: Owner, text: String?) {
        (self.body, self.owner, self.text) = (body, owner, text)
    }
}

/// Maps objects of a JSON Lines catalogue to bodies of the API and back, equal as JSON values.
///
/// Fields that the API has otherwise are mapped by a table (``CatalogueField``); every other field travels under its own
/// name. What is no part of a body in the API (the artworks of a show or album, a show's pictures, a document's text) is
/// returned apart. Bodies come out in serving form, so that they pass unchanged through any chain of mirrors.
///
/// No catalogue is assumed to be regular. Each mapping is checked by its inverse at once: where that would not give
/// back what came in (two fields that end under one name, a value of an unexpected type), the originals are parked in
/// the body under ``parkingKey``, from where the inverse takes them.
///
/// The inverse functions also take bodies that never were in a catalogue, and give what a catalogue would say.
public enum CatalogueMapping {
    /// Holds `own`, the fields as the catalogue had them, and `not`, the names that the catalogue did not have.
    public static let parkingKey = "_catalogue"

    private static let ownKey = "own"
    private static let absentKey = "not"
    private static let members = "artwork_ids"

    /// The object of the API for one of a catalogue.
    public static func entry(_ kind: Kind, fromCatalogue source: JSONObject) -> CatalogueEntry {
        var body = unparked(source)
        for field in CatalogueField.all(of: kind) { field.toAPI(&body) }
        var artworkIDs: [String] = [], pictures: [ObjectList: [JSONObject]] = [:]
        if namesMembers(kind) { artworkIDs = ids(body.removeValue(forKey: members)) }
        for list in kind.lists where list.imageRole != nil {
            let listed = body.removeValue(forKey: CatalogueImage.field(of: list))
            pictures[list] = CatalogueImage.images(listed, of: list, owner: source["id"]?.idText ?? "")
        }
        let entry = CatalogueEntry(body: body, artworkIDs: artworkIDs, pictures: pictures)
        return CatalogueEntry(
            body: parking(source, body, back: mapped(kind, entry)), artworkIDs: artworkIDs,
            pictures: pictures)
    }

    /// The catalogue's object for one of the API.
    public static func object(_ kind: Kind, toCatalogue entry: CatalogueEntry) -> JSONObject {
        restoring(mapped(kind, entry), from: entry.body)
    }

    private static func mapped(_ kind: Kind, _ entry: CatalogueEntry) -> JSONObject {
        var result = unparked(entry.body)
        for field in CatalogueField.all(of: kind).reversed() { field.toCatalogue(&result) }
        if namesMembers(kind) { result[members] = array(entry.artworkIDs) }
        for (list, images) in entry.pictures where !images.isEmpty {
            result[CatalogueImage.field(of: list)] = CatalogueImage.value(images, of: list)
        }
        return result
    }

    /// Whether an object of a catalogue names its artworks. Those of a location name it instead.
    package static func namesMembers(_ kind: Kind) -> Bool { kind.hasMembers && kind != .location }

    // MARK: - Documents

    /// - Parameter kinds: of which some have documents; each document has a field `show_id`, `artist_id`, … for its owner.
    /// - Throws: ``PayloadError`` if it has no id, or belongs to none of them.
    public static func document(
        fromCatalogue source: JSONObject, partner: String, among kinds: Kinds = .standard
    ) throws(PayloadError) -> CatalogueDocument {
        guard source["id"]?.idText != nil else {
            throw PayloadError(kind: "document", message: "The document has no id.")
        }
        // A document of a show may name the artist, too.
        let owners = kinds.all.filter(\.hasDocuments).reversed()
        let named = owners.lazy.compactMap { kind in
            source["\(kind.name)_id"]?.idText.map { Owner(kind, $0) }
        }
        guard let owner = named.first else {
            let fields = owners.map { "\("aeiou".contains($0.name.prefix(1)) ? "an" : "a") \($0.name)_id" }
            throw PayloadError(
                kind: "document", message: "The document has neither \(fields.joined(separator: " nor ")).")
        }
        var body = unparked(source)
        body["\(owner.kind.name)_id"] = nil
        let text = source["text"]?.stringValue
        if let text {
            body["text"] = nil
            body["size"] = .number(JSONNumber(text.utf8.count))
        }
        body = ServingForm.document(body, partner: partner, owner: owner) ?? body
        let back = mapped(CatalogueDocument(body: body, owner: owner, text: text))
        return CatalogueDocument(body: parking(source, body, back: back), owner: owner, text: text)
    }

    /// The catalogue's object of a document.
    public static func object(toCatalogue document: CatalogueDocument) -> JSONObject {
        restoring(mapped(document), from: document.body)
    }

    private static func mapped(_ document: CatalogueDocument) -> JSONObject {
        var result = unparked(document.body)
        result["uri"] = nil
        result["\(document.owner.kind.name)_id"] = .string(document.owner.id)
        if let text = document.text {
            result["text"] = .string(text)
            result["size"] = nil
        }
        return result
    }

    // MARK: - What is parked

    /// Adds to `body` whatever its inverse `back` lacks or has too much of, compared with `source`.
    private static func parking(_ source: JSONObject, _ body: JSONObject, back: JSONObject) -> JSONObject {
        if back == source { return body }
        var parked = JSONObject()
        let own = source.members.filter { back[$0.key] != $0.value }
        if !own.isEmpty { parked[ownKey] = .object(JSONObject(own.map { ($0.key, $0.value) })) }
        let absent = back.members.filter { source[$0.key] == nil }
        if !absent.isEmpty { parked[absentKey] = .array(absent.map { .string($0.key) }) }
        var result = body
        result[parkingKey] = .object(parked)
        return result
    }

    /// Takes the originals that ``parking(_:_:back:)`` put into `body`.
    ///
    /// A list of artworks may have been edited since: the original stands only for the very list made from it.
    private static func restoring(_ mapped: JSONObject, from body: JSONObject) -> JSONObject {
        guard case .object(let parked)? = body[parkingKey] else { return mapped }
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

    /// A body to map, without what the mapping itself keeps there.
    private static func unparked(_ object: JSONObject) -> JSONObject {
        var result = object
        result[parkingKey] = nil
        return result
    }

    /// The ids in an array; what is no id is left out.
    private static func ids(_ value: JSONValue?) -> [String] { value?.arrayValue?.compactMap(\.idText) ?? [] }

    static func array(_ ids: [String]) -> JSONValue { .array(ids.map(JSONValue.string)) }
}

extension Kind {
    /// The file of a catalogue that holds the kind's objects.
    package var catalogueFile: String { "\(plural).jsonl" }
}

/// The order of ids in a catalogue: whole numbers first, by number, then all others by code point.
public enum CatalogueOrder {
    /// Whether `left` stands before `right`. Numbers may be of any length; of equal ones (`7`, `007`) the code points
    /// decide.
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

    public static func sorted(_ ids: some Sequence<String>) -> [String] { ids.sorted(by: precedes) }

    private static func isWholeNumber(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.allSatisfy(\.isASCIIDigit)
    }
}
