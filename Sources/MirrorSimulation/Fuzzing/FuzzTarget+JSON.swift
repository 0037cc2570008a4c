import Catalogue

extension FuzzTarget {
    static let jsonWords = [
        "null", "true", "false", "{\"id\":\"a\"}", "[]", "{}", "\"\\u0000\"", "\\ud800", "\\udc00", "\\u00e9",
        "1e309",
        "-0", "9223372036854775807", "1e9223372036854775807", "0.1e-9223372036854775808", "\"id\":", ",", ":",
        "\\\"",
        "\u{2028}", "\u{FEFF}", "e\u{301}", "{\"\":", "[[[[[[[[",
    ]

    /// Targets for JSON itself: reading, and writing it again.
    static let json = [
        FuzzTarget(
            "json",
            seeds: [
                #"{"a":[1,2.50,-0,1e3,true,false,null],"b":{"c":"d"},"a":"twice"}"#,
                #"{"id":"x","title":"Caf\u00e9 \ud83d\ude00 \"quoted\" \\ \/ \b\f\n\r\t","n":1.0}"#,
                " [ ] ", "\"text\"", "-12.5E+3", "{\"a\":[[[{\"b\":[{}]}]]]}",
            ],
            words: jsonWords, input: { [$0] }, check: checkJSON),
        FuzzTarget(
            "json number", seeds: ["0", "-0", "1.50", "1e3", "12345678901234567890", "1E-400", "-7.0e+2"],
            words: [
                "e", "E+", "e-", ".", "0", "9", "9223372036854775807", "9223372036854775808", "-", "00000000",
            ], check: checkNumber),
    ]

    private static func checkJSON(_ input: [UInt8]) throws(FuzzFinding) {
        let kept = Result { () throws(JSONError) in try JSONValue(parsing: input) }
        let read = Result { () throws(JSONError) in
            try input.withUnsafeBufferPointer { bytes throws(JSONError) in
                try JSONValue(parsing: UnsafeRawBufferPointer(bytes))
            }
        }
        guard kept == read else { throw FuzzFinding("Both JSON parsers agree.") }
        guard case .success(let value) = read, case .success(let original) = kept else { return }
        let canonical = value.canonicalBytes
        // A value that keeps its original bytes does so only if they are canonical.
        try FuzzFinding.unless(
            original.canonicalBytes == canonical, "Original bytes that are kept are canonical.")
        try FuzzFinding.unless(
            value.canonicalText.utf8.elementsEqual(canonical), "Canonical text and canonical bytes are equal."
        )
        guard let again = try? JSONValue(parsing: canonical) else {
            throw FuzzFinding("Canonical JSON can be read.")
        }
        try FuzzFinding.unless(again == value, "Canonical JSON is read as the same value.")
        try FuzzFinding.unless(again.hashValue == value.hashValue, "Equal values have equal hashes.")
        try FuzzFinding.unless(again.canonicalBytes == canonical, "Canonical JSON is its own canonical form.")
    }

    private static func checkNumber(_ input: [UInt8]) throws(FuzzFinding) {
        guard let number = JSONNumber(lexeme: String(decoding: input, as: UTF8.self)) else { return }
        let double = number.doubleValue
        try FuzzFinding.unless(!double.isNaN, "A JSON number is not NaN.")
        if let integer = number.intValue, integer.magnitude < 1 << 53 {
            try FuzzFinding.unless(double == Double(integer), "A number's integer and double are equal.")
        }
        var spellings = [number.lexeme]
        if !number.lexeme.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            spellings.append(number.lexeme + "e0")
            spellings.append(number.lexeme + (number.lexeme.contains(".") ? "00E-0" : ".0"))
        }
        for spelling in spellings {
            guard let other = JSONNumber(lexeme: spelling) else {
                throw FuzzFinding("A number with the exponent 0 can be read.")
            }
            try FuzzFinding.unless(
                other == number && other.hashValue == number.hashValue,
                "The spelling does not change a number.")
            try FuzzFinding.unless(
                other.intValue == number.intValue, "The spelling does not change a number's integer.")
        }
    }

    /// The input as a JSON object; `nil` if it is none.
    static func object(_ input: [UInt8]) -> JSONObject? { (try? JSONValue(parsing: input))?.objectValue }

    /// Writes an object canonically and reads it again.
    static func again(_ object: JSONObject) throws(FuzzFinding) -> JSONObject {
        var copy = object
        // A change and its reversal discard the original bytes that the object may have kept.
        copy["\u{1}"] = .null
        copy["\u{1}"] = nil
        guard let read = Self.object(copy.canonicalBytes) else {
            throw FuzzFinding("Canonical JSON can be read.")
        }
        return read
    }
}
