import Catalogue

/// The number that a museum gives to an object, made from the catalogue's id.
package enum MuseumNumber {
    /// The number of an id doesn't depend on the rest of the catalogue.
    ///
    /// An id that is a number below a thousand million is kept. Of others a hash is taken; among a million ids, two have the
    /// same number with a probability of one in two thousand, and a catalogue in which that happens is refused.
    package static func of(_ id: String) -> Int {
        if let number = Int(id), String(number) == id, (1..<first).contains(number) { return number }
        // Below 2^50, so that programs which read numbers as floating-point keep it exactly.
        return first + Int(hash(id) >> 14) % (1 << 49)
    }

    private static let first = 1_000_000_000

    /// 64-bit FNV-1a, with its bits mixed, since those of short texts differ in few of them.
    static func hash(_ text: String) -> UInt64 {
        var mixed = text.utf8.reduce(0xcbf2_9ce4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number in hexadecimal, with zeros before it.
    static func hex(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// Times in the forms of the museums.
extension Timestamp {
    /// `2026-01-02T03:04:05Z`
    var seconds20: String { "\(text.prefix(19))Z" }

    /// `2026-01-02 03:04:05.123000`, without a zone.
    var microseconds26: String { "\(text.prefix(10)) \(text.dropFirst(11).prefix(12))000" }

    /// `2026-01-02T03:04:05-06:00`, six hours behind UTC.
    var chicago: String { "\(Timestamp(seconds: seconds - 6 * 3600).text.prefix(19))-06:00" }

    /// `02.01.2026 03:04:05`
    var dayFirst: String {
        let text = text
        let parts = text.prefix(10).split(separator: "-")
        return "\(parts.reversed().joined(separator: ".")) \(text.dropFirst(11).prefix(8))"
    }

    /// The first instant of a year.
    init(year: Int) {
        self.init(seconds: CalendarDate(year: year, month: 1, day: 1).daysSince1970 * 86_400)
    }
}

extension JSONValue {
    /// A text; `null` if it is missing.
    static func orNull(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    /// A text; an empty one if it is missing.
    static func orEmpty(_ text: String?) -> JSONValue { .string(text ?? "") }
    /// A number; `null` if it is missing.
    static func orNull(_ number: Int?) -> JSONValue { number.map(JSONValue.int) ?? .null }
    static func int(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }
    /// A number with at most `digits` digits after its point; `null` if it is missing.
    static func orNull(_ number: Double?, digits: Int) -> JSONValue {
        guard let number else { return .null }
        let scale = (0..<digits).reduce(1.0) { value, _ in value * 10 }
        let rounded = (number * scale).rounded() / scale
        return Int(exactly: rounded).map(JSONValue.int) ?? JSONNumber(rounded).map(JSONValue.number) ?? .null
    }
}

extension JSONObject {
    /// The members whose names are in a list that is separated by commas; all members without a list.
    func only(_ fields: String?) -> JSONObject {
        guard let fields else { return self }
        let names = Set(fields.split(separator: ",").map(String.init))
        return JSONObject(members.filter { names.contains($0.key) }.map { ($0.key, $0.value) })
    }
}
