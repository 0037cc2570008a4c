import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Evidence and changes in words") struct EvidenceTextTests {
    private static let now = Timestamp("2026-11-26T16:00:00.000Z") ?? Timestamp(seconds: 0)

    static let evidence: [(String, String?)] = [
        (
            "not in /partner/p/artworks?ids=1&size=all; 404 from /artwork/x",
            "The complete list of artworks, read on 19 November at 15:20 UTC, no longer names it, and its own address answered 404."
        ),
        (
            "not in /partner/p/artworks?ids=1",
            "The complete list of artworks, read on 19 November at 15:20 UTC, no longer names it."
        ),
        (
            "not in https://m.org/list; missing from 3 complete lists since 2026-11-12T10:00:00.000Z",
            "The complete list of artworks, read on 19 November at 15:20 UTC, no longer names it. Three complete lists in a row lacked it, the first on 12 November at 10:00 UTC."
        ),
        ("the server reports it as deleted", "The server reported that it was deleted."),
        (
            "deleted, says /feed?after=1",
            "The server reported on 19 November at 15:20 UTC that it was deleted."
        ),
        ("404 from /album/a", "On 19 November at 15:20 UTC its own address answered 404."),
        (
            "absent in the answer of /x",
            "No list names it, and on 19 November at 15:20 UTC its own address had nothing."
        ),
        (
            "ended 2026-01-31; shows are kept for 30 days after their end",
            "It ended on 31 January, and shows are kept for 30 days after their end."
        ),
        ("no artwork names it any more", "No artwork names it any more."),
        (
            "the source no longer offers 2 of its stored pictures",
            "The server no longer offers two of its pictures."
        ),
        ("restored from run 12", "It was restored from run 12."), ("restored from run <script>", nil),
        (
            "not listed, and nothing refers to it any more",
            "No list names it, and nothing refers to it any more."
        ),
        ("/show/s/artworks", nil), ("", nil), ("<b>anything</b>", nil), ("404 fromage", nil),
        ("not in ", "The complete list of artworks, read on 19 November at 15:20 UTC, no longer names it."),
    ]

    @Test(arguments: evidence) func evidenceIsSaidInWords(evidence: String, words: String?) {
        let text = EvidenceText(evidence, kind: .artwork, at: "2026-11-19T15:20:00.000Z", now: Self.now)
        #expect(text.sentence == words)
    }

    private static let long = String(repeating: "word ", count: 100)

    static let fields: [(name: String, old: String, new: String, shown: [String?])] = [
        ("medium", #""Oil""#, #""Oil on canvas""#, ["Medium", "Oil", "Oil on canvas", nil]),
        ("image_rights", "null", #""Public domain""#, ["Image rights", nil, "Public domain", nil]),
        (
            "location", #"{"id":"l","name":"Room 4"}"#, #"{"id":"m","name":"Hall"}"#,
            ["Location", "Room 4", "Hall", nil]
        ),
        ("images", #"[{"id":"i"}]"#, #"[{"id":"i"},{"id":"j"}]"#, ["Pictures", nil, nil, "1 added"]),
        (
            "images", #"[{"id":"i"},{"id":"j"}]"#, #"[{"id":"j","x":1},{"id":"i"}]"#,
            ["Pictures", nil, nil, "1 changed, other order"]
        ),
        ("published", "true", "false", ["Published", "Yes", "No", nil]),
        ("tags", #"["a"]"#, #"["a","b"]"#, ["Tags", "a", "a, b", nil]),
    ]

    @Test(arguments: fields) func aFieldShowsWhatWasRemovedAndAdded(
        name: String, old: String, new: String, shown: [String?]
    ) throws {
        let before = JSONObject([(name, try JSONValue(parsing: old))]),
            after = JSONObject([(name, try JSONValue(parsing: new))])
        let change = try #require(FieldChanges.between(before, after).first)
        let text = try #require(FieldText(change))
        #expect([text.label, text.old, text.new, text.summary] == shown)
    }

    @Test func anEmptyTextInPlaceOfNothingIsNoChange() {
        #expect(FieldText(FieldChanges.Change(name: "x", old: .null, new: .string(""))) == nil)
        #expect(FieldText(FieldChanges.Change(name: "x", old: nil, new: .array([]))) == nil)
    }

    @Test func longTextsAreShownFromTheirFirstDifferenceOn() throws {
        let change = FieldChanges.Change(
            name: "blurb", old: .string(Self.long + "red"), new: .string(Self.long + "green"))
        let text = try #require(FieldText(change))
        #expect(text.old == "…" + Self.long.suffix(30) + "red")
        #expect(text.new == "…" + Self.long.suffix(30) + "green")
    }
}
