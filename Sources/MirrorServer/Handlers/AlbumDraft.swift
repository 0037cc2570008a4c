import Catalogue
import MirrorStore

/// An album's JSON, to which a client's changes are made. Fields that are nobody's here stay as they are.
struct AlbumDraft {
    let json: JSONObject

    static let maximalNameLength = 1000

    /// An id that no album has: 96 random bits in hex, as other partner servers make them.
    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        let high = random.next() as UInt64, low = random.next() as UInt32
        return hex(high, digits: 16) + hex(UInt64(low), digits: 8)
    }

    /// The album with the `name`, `private` and `description` that `changes` has; `null` takes a field away.
    ///
    /// - Parameter time: goes into `updated_at`, if anything changes.
    /// - Throws: ``Refusal`` 400 for an album without a name, or a field of the wrong type.
    func changed(by changes: JSONObject, at time: String) throws -> ObjectRecord {
        var album = json
        for field in ["name", "private", "description"] {
            guard let value = changes[field] else { continue }
            album[field] = value == .null ? nil : value
        }
        guard let name = album["name"]?.stringValue, !name.isBlank, name.utf8.count <= Self.maximalNameLength,
            album["private"].map({ $0.boolValue != nil }) ?? true,
            album["description"].map({ $0.stringValue != nil }) ?? true
        else { throw Refusal.invalid("album") }
        if album != json { album["updated_at"] = .string(time) }
        return try Self.record(album)
    }

    private static func record(_ json: JSONObject) throws -> ObjectRecord {
        var warnings: [FieldWarning] = []
        let album = try Album(json, warnings: &warnings)
        return ObjectRecord(.album, album, etag: nil)
    }

    private static func hex(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
