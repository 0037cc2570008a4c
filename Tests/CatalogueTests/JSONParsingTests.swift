import Catalogue
import Foundation
import Testing

@Suite struct JSONParsingTests {
    @Test(
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("\t\r\nfalse\n", false), ("0", 0), ("-12", -12),
            ("\"\"", ""), ("\"a b\"", "a b"), ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]),
            ("[1, [2 ,3] ]", [1, [2, 3]]), (#"{"b":1,"a":{"c":[null]}}"#, ["a": ["c": [.null]], "b": 1]),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u4E2D""#, "Aé中"),
            (#""\ud83d\ude00""#, "😀"), (#""\uD83D""#, "\u{FFFD}"), (#""\uDE00x""#, "\u{FFFD}x"),
            (#""\uD83D\u0041""#, "\u{FFFD}A"), (#""\uD83D\uD83D\uDE00""#, "\u{FFFD}😀"),
            (#""\uD83D\n""#, "\u{FFFD}\n"),
            (#""\u0000""#, "\u{0}"), ("\"Ünïcödé 中文 😀\"", "Ünïcödé 中文 😀"), ("\"\u{7F}\"", "\u{7F}"),
            (#""0123456789abcdef\n0123456789abcdef""#, "0123456789abcdef\n0123456789abcdef"),
        ] as [(String, JSONValue)])
    func validJSONIsRead(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }

    @Test(
        arguments: [
            ("", JSONError.Code.truncated, 0), ("  ", .truncated, 2), ("[", .truncated, 1),
            ("[1", .truncated, 2),
            ("[1,", .truncated, 3), ("{", .truncated, 1), ("{\"a\"", .truncated, 4),
            ("{\"a\":", .truncated, 5),
            ("\"abc", .truncated, 4), ("\"\\", .truncated, 2), ("\"\\u00", .truncated, 5),
            ("tru", .truncated, 0),
            ("-", .truncated, 1), ("1.", .truncated, 2), ("1e", .truncated, 2), ("1e+", .truncated, 3),
            ("[1,]", .syntax, 3), ("[,1]", .syntax, 1), ("{,}", .syntax, 1), ("{\"a\":1,}", .syntax, 7),
            ("{a:1}", .syntax, 1), ("{\"a\" 1}", .syntax, 5), ("{1:2}", .syntax, 1), ("[1 2]", .syntax, 3),
            ("nul!", .syntax, 0), ("<html>", .syntax, 0), ("+1", .syntax, 0), (".5", .syntax, 0),
            ("-a", .syntax, 1),
            ("1.x", .syntax, 2), ("\"a\nb\"", .syntax, 2), ("\"\\x\"", .syntax, 2),
            ("\"\\u00g0\"", .syntax, 5),
            ("'a'", .syntax, 0), ("NaN", .syntax, 0), ("Infinity", .syntax, 0),
            ("1\u{FEFF}", .trailingGarbage, 1), ("[\u{FEFF}1]", .syntax, 1), (" \u{FEFF}1", .syntax, 1),
            ("\u{FEFF}", .truncated, 3), ("\u{FEFF}\u{FEFF}1", .syntax, 3),
            ("1 2", .trailingGarbage, 2), ("{}x", .trailingGarbage, 2), ("01", .trailingGarbage, 1),
            ("[]]", .trailingGarbage, 2), ("null\u{0}", .trailingGarbage, 4), ("1.0.0", .trailingGarbage, 3),
        ] as [(String, JSONError.Code, Int)])
    func invalidJSONIsRejectedWithTheOffsetOfTheError(text: String, code: JSONError.Code, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    /// RFC 8259, section 8.1. The mark is not part of the value, so the canonical form doesn't contain it.
    @Test func aByteOrderMarkBeforeJSONIsSkipped() throws {
        let text = "{\"a\":[1,\"\u{FEFF}\"]}", marked = "\u{FEFF}" + text
        let value = try JSONValue(parsing: text)
        #expect(try JSONValue(parsing: marked) == value)
        #expect(try JSONValue(parsing: Array(marked.utf8)) == value)
        #expect(try JSONValue(parsing: Array(marked.utf8)).canonicalBytes == Array(value.canonicalBytes))
        #expect(try JSONValue(parsing: "\u{FEFF} 1 ") == 1)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0x80, 0x22],
        ] as [[UInt8]])
    func invalidUTF8IsRefused(bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == 1)
    }

    @Test(arguments: ["[", "{\"a\":"])
    func nestingBeyondTheLimitIsRejectedOnASmallStack(open: String) throws {
        let close = open == "[" ? "]" : "}"
        let allowed = String(repeating: open, count: 512) + "1" + String(repeating: close, count: 512)
        let hostile = String(repeating: open, count: 200_000)
        nonisolated(unsafe) var depthReached = false
        nonisolated(unsafe) var code: JSONError.Code?
        let finished = DispatchSemaphore(value: 0)
        let thread = Thread {
            if let value = try? JSONValue(parsing: allowed) {
                depthReached =
                    value.canonicalText == allowed && value == value && value.hashValue == value.hashValue
            }
            do throws(JSONError) { _ = try JSONValue(parsing: hostile) } catch { code = error.code }
            finished.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
        finished.wait()
        #expect(depthReached)
        #expect(code == .tooDeep)
    }

    @Test func theLastOfSeveralMembersWithOneKeyIsKept() throws {
        let value = try JSONValue(parsing: #"{"b":1,"a":1,"b":2,"a":2,"c":3,"a":3}"#)
        #expect(value.canonicalText == #"{"a":3,"b":2,"c":3}"#)
    }

    @Test(arguments: [
        (#"\u0061b"#, "ab"), (#"a\/b"#, "a/b"), (#"\n2345678"#, "\n2345678"), (#"1234567\u00e9"#, "1234567é"),
        (#"\ud83d\ude00"#, "😀"), (#"\ud800"#, "\u{FFFD}"), ("", ""), ("é", "é"), ("12345678", "12345678"),
        ("123456789", "123456789"),
    ])
    func escapedKeysAreFound(name: String, key: String) throws {
        let object = try JSONValue(parsing: Array("{\"\(name)\":1,\"b\":2,\"zzzzzzzzz\":3}".utf8)).objectValue
        #expect(object?[key] == 1)
        #expect(object == [key: 1, "b": 2, "zzzzzzzzz": 3])
        #expect(object?.keys == [key, "b", "zzzzzzzzz"].sorted { UTF8Order.precedes($0, $1) })
    }

    @Test func largeUnsortedObjectsKeepTheLastMemberOfEachKey() throws {
        let keys = (0..<300).map { "k\(($0 * 7919) % 150)" }
        let text = "{" + keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
        var expected: [String: Int] = [:]
        for (index, key) in keys.enumerated() { expected[key] = index }
        let object = try #require(try JSONValue(parsing: text).objectValue)
        #expect(object.keys == expected.keys.sorted())
        for (key, index) in expected { #expect(object[key] == JSONValue(integerLiteral: index)) }
    }

    @Test func randomValuesAreReadBackAsTheyWereWritten() throws {
        var random = SeededGenerator(1)
        for _ in 0..<2000 {
            let value = Self.value(&random, depth: 0)
            let bytes = value.canonicalBytes
            let read = try JSONValue(parsing: bytes)
            #expect(read == value)
            #expect(read.hashValue == value.hashValue)
            #expect(read.canonicalBytes == bytes)
        }
    }

    /// Foundation must read the same value, or reject the text, too.
    @Test func mutatedJSONIsAcceptedExactlyIfFoundationAcceptsIt() throws {
        var random = SeededGenerator(2)
        var accepted = 0
        for _ in 0..<3000 {
            var bytes = Self.value(&random, depth: 0).canonicalBytes
            for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let replacement = Array("\"\\{}[],:0e-. \u{1}aé".utf8).randomElement(using: &random) ?? 0
                bytes[index] = replacement
            }
            let foundation = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            let value = try? JSONValue(parsing: bytes)
            let text = Comment(rawValue: String(decoding: bytes, as: UTF8.self))
            if let value {
                accepted += 1
                // Foundation rejects numbers that are too large for a double.
                #expect(foundation != nil || Self.hasHugeNumber(value), text)
                #expect(try JSONValue(parsing: value.canonicalBytes) == value)
            } else {
                #expect(foundation == nil, text)
            }
        }
        #expect(accepted > 500)
    }

    private static func hasHugeNumber(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number): number.doubleValue.isInfinite
        case .array(let elements): elements.contains(where: hasHugeNumber)
        case .object(let object): object.members.contains { hasHugeNumber($0.value) }
        default: false
        }
    }

    static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 4 ? 5 : 8), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .number(JSONNumber(Int.random(in: -100_000...100_000, using: &random)))
        case 3:
            let double = Double.random(in: -1e9...1e9, using: &random)
            return JSONNumber(double).map(JSONValue.number) ?? .null
        case 4: return .string(text(&random))
        case 5, 6:
            let count = Int.random(in: 0...5, using: &random)
            var pairs: [(String, JSONValue)] = []
            for _ in 0..<count { pairs.append((text(&random), value(&random, depth: depth + 1))) }
            return .object(JSONObject(pairs))
        default:
            let count = Int.random(in: 0...5, using: &random)
            return .array((0..<count).map { _ in value(&random, depth: depth + 1) })
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let scalars: [Character] = [
            "a", "b", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é",
            "e\u{301}",
            "中", "😀", "\u{FFFD}", "\u{2028}",
        ]
        let count = Int.random(in: 0...20, using: &random)
        return String((0..<count).map { _ in scalars.randomElement(using: &random) ?? "a" })
    }
}
