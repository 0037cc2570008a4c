import Catalogue
import Testing

/// An object in canonical form keeps its source bytes, which must equal the bytes that writing would produce.
@Suite struct JSONCanonicalTests {
    /// Reads a value without keeping its source bytes.
    private func parsedWithoutSource(_ bytes: [UInt8]) throws -> JSONValue {
        try bytes.withUnsafeBytes { try JSONValue(parsing: $0) }
    }

    @Test(
        arguments: [
            (#"{}"#, #"{}"#), (#"{"a":1,"b":[{"c":null}]}"#, #"{"a":1,"b":[{"c":null}]}"#),
            (#"{"a":"\"\\\b\f\n\r\t/é"}"#, #"{"a":"\"\\\b\f\n\r\t/é"}"#),
            (#"{"a":1.50,"b":-0,"c":1E2}"#, #"{"a":1.50,"b":-0,"c":1E2}"#),
            (#" {"a":1}"#, #"{"a":1}"#), ("{\"a\":1}\n", #"{"a":1}"#), (#"{"a": 1}"#, #"{"a":1}"#),
            (#"{"a" :1}"#, #"{"a":1}"#), (#"{ "a":1}"#, #"{"a":1}"#), (#"{"a":1 }"#, #"{"a":1}"#),
            (#"{"a":1 ,"b":2}"#, #"{"a":1,"b":2}"#), (#"{"a":[ ]}"#, #"{"a":[]}"#), (#"{ }"#, #"{}"#),
            ("{\"a\":[1,\t2]}", #"{"a":[1,2]}"#),
            (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#), (#"{"x":{"b":1,"a":2}}"#, #"{"x":{"a":2,"b":1}}"#),
            (#"{"x":[{"b":1,"a":2}]}"#, #"{"x":[{"a":2,"b":1}]}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
            (#"{"x":{"a":1,"a":1}}"#, #"{"x":{"a":1}}"#), (#"{"a":"\/"}"#, #"{"a":"/"}"#),
            (#"{"a":"\u0041"}"#, #"{"a":"A"}"#), (#"{"\u0061":1}"#, #"{"a":1}"#),
            (#"{"a":"\u001F"}"#, #"{"a":"\u001f"}"#), (#"{"a":"\u001f"}"#, #"{"a":"\u001f"}"#),
            (#"{"a":"\u000a"}"#, #"{"a":"\n"}"#), (#"{"a":"\ud83d\ude00"}"#, #"{"a":"😀"}"#),
            (#"{"a":"\ud83d"}"#, "{\"a\":\"\u{FFFD}\"}"),
        ])
    func jsonIsWrittenInCanonicalForm(text: String, canonical: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value.canonicalText == canonical)
        #expect(value.canonicalBytes == Array(canonical.utf8))
        #expect(value.objectValue?.canonicalText == canonical)
        #expect(JSONValue.array([value]).canonicalText == "[\(canonical)]")
    }

    @Test func manyUnsortedMembersAreWrittenSortedByKey() throws {
        let members = (0..<200).map { "\"\($0)\":\($0)" }
        let value = try JSONValue(parsing: Array("{\(members.joined(separator: ","))}".utf8))
        #expect(value.canonicalText == "{\(members.sorted().joined(separator: ","))}")
    }

    @Test func keptSourceBytesEqualNewlyWrittenBytes() throws {
        var random = SeededGenerator(3)
        var kept = 0
        for _ in 0..<2000 {
            var object = JSONObject()
            for key in ["a", "b", "c"] { object[key] = JSONParsingTests.value(&random, depth: 2) }
            var bytes = object.canonicalBytes
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = Array("\"\\{}[],:0e-. nu/abc".utf8).randomElement(using: &random) ?? 0
            }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            let written = try parsedWithoutSource(bytes).canonicalBytes
            #expect(value.canonicalBytes == written)
            if written == bytes { kept += 1 }
        }
        #expect(kept > 400)
    }

    @Test func aChangedObjectIsWrittenWithoutItsSourceBytes() throws {
        let text = #"{"a":1,"b":2}"#
        let read = try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
        var object = read
        object["none"] = nil
        object.removeValue(forKey: "none")
        #expect(object.canonicalText == text)
        object["b"] = 3
        #expect(object.canonicalText == #"{"a":1,"b":3}"#)
        object = read
        object["c"] = 3
        #expect(object.canonicalText == #"{"a":1,"b":2,"c":3}"#)
        object = read
        object["a"] = nil
        #expect(object.canonicalText == #"{"b":2}"#)
        object = read
        object.removeValue(forKey: "b")
        #expect(object.canonicalText == #"{"a":1}"#)
        #expect(read.canonicalText == text)
    }

    /// The first eight bytes of keys are compared first, so keys with equal first bytes or with zeros are special cases.
    @Test func keysOfAnObjectAreSortedAndFoundByTheirBytes() throws {
        var random = SeededGenerator(4)
        for _ in 0..<300 {
            let stem = String(repeating: "k", count: Int.random(in: 0...9, using: &random))
            let keys = (0..<Int.random(in: 0...90, using: &random)).map { _ in
                let end = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    ["\u{0}", "a", "b", "é", "e\u{301}", "😀"].randomElement(using: &random) ?? ""
                }
                return stem + end.joined()
            }
            let object = JSONObject(keys.enumerated().map { ($1, .number(JSONNumber($0))) })
            let expected = Set(keys.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
            #expect(object.keys.map { Array($0.utf8) } == expected)
            for key in expected {
                let last = keys.lastIndex { Array($0.utf8) == key }
                #expect(object[String(decoding: key, as: UTF8.self)]?.numberValue?.intValue == last)
            }
            #expect(object[stem + "c"] == nil)
        }
    }
}
