/// Maps objects of a JSON Lines catalogue to bodies of the API and back, equal as JSON values.
///
/// Fields that the API names differently are renamed; every other field travels under its own name. What is no part of
/// a body in the API (the artworks of a show or album, a show's pictures, a document's text) is returned apart. Bodies
/// come out in serving form, so that they pass unchanged through any chain of mirrors.
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

    /// Adds to `body` whatever its inverse `back` lacks or has too much of, compared with `source`.
    static func parking(_ source: JSONObject, _ body: JSONObject, back: JSONObject) -> JSONObject {
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
    static func restoring(_ mapped: JSONObject, from body: JSONObject) -> JSONObject {
        guard case .object(let parked)? = body[parkingKey] else { return mapped }
        var result = mapped
        let members = "artwork_ids"
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
    static func unparked(_ object: JSONObject) -> JSONObject {
        var result = object
        result[parkingKey] = nil
        return result
    }

    static func rename(_ object: inout JSONObject, _ names: [(from: String, to: String)]) {
        for (from, to) in names {
            if let value = object.removeValue(forKey: from) { object[to] = value }
        }
    }

    static func inverse(_ names: [(from: String, to: String)]) -> [(from: String, to: String)] {
        names.map { (from: $0.to, to: $0.from) }
    }

    /// The ids in an array; what is no id is left out.
    static func ids(_ value: JSONValue?) -> [String] { value?.arrayValue?.compactMap(\.idText) ?? [] }

    static func array(_ ids: [String]) -> JSONValue { .array(ids.map(JSONValue.string)) }

    /// `artist_ids` → `artists[{id}]`, in order, repetitions included. Something else than an array travels.
    static func nestArtists(_ object: inout JSONObject) {
        guard case .array(let elements)? = object["artist_ids"] else { return }
        object["artist_ids"] = nil
        let artists = elements.compactMap(\.idText)
        object["artists"] = .array(artists.map { .object(JSONObject([("id", .string($0))])) })
    }

    /// `artists[{id}]`, else `artist{id}` → `artist_ids`, which catalogues always have.
    static func flattenArtists(_ object: inout JSONObject) {
        var artists: [String]?
        if case .array(let elements)? = object["artists"] {
            artists = elements.compactMap { $0.objectValue?["id"]?.idText ?? $0.idText }
            object["artists"] = nil
        }
        if let artist = object["artist"]?.objectValue?["id"]?.idText {
            if artists?.isEmpty ?? true { artists = [artist] }
            if artists?.contains(artist) ?? false { object["artist"] = nil }
        }
        if let artists {
            object["artist_ids"] = array(artists)
        } else if object["artist_ids"] == nil {
            object["artist_ids"] = []
        }
    }
}
