import Catalogue
import Testing

@testable import MirrorServer

@Suite("Conditions, ranges and pages")
struct ConditionTests {
    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("*", true), ("\"b\", \"a\"", true),
        ("\"b\",W/\"a\" ,\"c\"", true),
        ("\"b\"", false), ("a", false), ("", false), (",,", false), ("\"a", false), ("\"a,b\"", false),
        ("\"x,\"a\"", false), ("w/\"a\"", false), ("\"A\"", false),
    ])
    func ifNoneMatchComparesWeakly(_ header: String, _ expected: Bool) {
        #expect(EntityTag.isListedWeakly("\"a\"", in: header) == expected)
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", false), ("*", true), ("\"b\", \"a\"", true), ("\"b\"", false),
    ])
    func ifMatchComparesStrongly(_ header: String, _ expected: Bool) {
        #expect(EntityTag.isListedStrongly("\"a\"", in: header) == expected)
    }

    static let ranges: [(String?, String?, ByteRange)] = [
        (nil, nil, .whole), ("bytes=0-9", nil, .part(0..<10)), ("bytes=90-", nil, .part(90..<100)),
        ("bytes=90-200", nil, .part(90..<100)), ("bytes=-10", nil, .part(90..<100)),
        ("bytes=-200", nil, .part(0..<100)), ("BYTES=5-5", nil, .part(5..<6)),
        ("bytes=100-", nil, .unsatisfiable), ("bytes=-0", nil, .unsatisfiable),
        ("bytes=99999999999999999999-", nil, .unsatisfiable),
        ("bytes=0-99999999999999999999", nil, .part(0..<100)),
        ("bytes=9-5", nil, .whole), ("bytes=0-1,3-4", nil, .whole), ("bytes=-", nil, .whole),
        ("bytes=a-b", nil, .whole), ("bytes", nil, .whole), ("lines=0-1", nil, .whole),
        ("bytes=--1", nil, .whole),
        ("bytes=0-9", "\"e\"", .part(0..<10)), ("bytes=0-9", "\"f\"", .whole),
        ("bytes=0-9", "W/\"e\"", .whole),
        ("bytes=0-9", "Sat, 01 Jan 2000 00:00:00 GMT", .whole),
    ]

    @Test(arguments: ranges.indices)
    func aRangeHeaderIsServedIgnoredOrRejected(_ index: Int) {
        let (range, condition, expected) = Self.ranges[index]
        #expect(ByteRange.decide(range: range, condition: condition, etag: "\"e\"", size: 100) == expected)
    }

    @Test func anyRangeOfAnEmptyFileIsUnsatisfiable() {
        #expect(ByteRange.decide(range: "bytes=0-", condition: nil, etag: "", size: 0) == .unsatisfiable)
        #expect(ByteRange.decide(range: "bytes=-1", condition: nil, etag: "", size: 0) == .unsatisfiable)
    }

    @Test func aListQueryRequestsIdsValidatorsOrPages() throws {
        let table: [(String, ListQuery)] = [
            ("ids=1&size=all", .ids(nil)), ("ids=1", .ids(nil)), ("ids=1&size=all&validators=1", .validators),
            ("", .objects(Page(number: 1))), ("page=3", .objects(Page(number: 3))),
            ("page=2&size=5", .objects(Page(number: 2, size: 5))),
            ("size=5000", .objects(Page(number: 1, size: 500))),
            ("ids=1&page=2&size=5", .ids(Page(number: 2, size: 5))),
            ("ids=0&page=2", .objects(Page(number: 2))),
        ]
        for (query, expected) in table { #expect(try ListQuery(target(query)) == expected, "\(query)") }
    }

    @Test(arguments: [
        "page=0", "page=-1", "page=x", "page=", "page=99999999999999999999", "size=0", "size=x", "size=all",
    ])
    func invalidPageParametersAreRejected(_ query: String) throws {
        let target = try target(query)
        #expect(throws: Refusal.self) { try ListQuery(target) }
    }

    @Test func pagesAfterTheEndOfAListAreEmpty() {
        #expect(Page(number: 1).range(of: 45) == 0..<20)
        #expect(Page(number: 3).range(of: 45) == 40..<45)
        #expect(Page(number: 4).range(of: 45).isEmpty)
        #expect(Page(number: .max).range(of: 45).isEmpty)
        #expect(Page(number: 1).range(of: 0).isEmpty)
    }

    private func target(_ query: String) throws -> RequestTarget {
        try #require(RequestTarget.parse(path: "/", query: query))
    }
}
