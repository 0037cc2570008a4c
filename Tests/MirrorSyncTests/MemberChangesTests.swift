import Catalogue
import MirrorStore
import Testing

@testable import MirrorSync

@Suite("What differs between two states of a list") struct MemberChangesTests {
    private static func values(_ ids: [String]) -> [JSONValue] { ids.map(JSONValue.string) }
    private static func text(_ ids: [String]) -> String { JSONValue.array(values(ids)).canonicalText }

    @Test(arguments: 0..<60)
    func listsOfIdsAreComparedAsBytesToTheSameEffect(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        // Of few letters and of many: with members that stand twice, and without.
        let letters = seed % 3 == 0 ? 6 : 400
        func list() -> [String] {
            (0..<Int.random(in: 0...80, using: &random)).map { _ in
                let number = Int.random(in: 0..<letters, using: &random)
                return number % 5 == 0 ? "a-longer-id-that-ends-alike-\(number)-and-so-on" : "\(number)"
            }
        }
        let old = list()
        var new = seed % 2 == 0 ? old : list()
        if !new.isEmpty, seed % 4 == 0 { new.remove(at: Int.random(in: 0..<new.count, using: &random)) }
        if seed % 6 < 3 { new.insert("new", at: Int.random(in: 0...new.count, using: &random)) }
        let bytes = try MemberChanges(old: Self.text(old), new: Self.text(new))
        #expect(bytes == MemberChanges(old: Self.values(old), new: Self.values(new)))
    }

    @Test(
        arguments: [
            (#"["a","b"]"#, #"[ "b", "a" ]"#, [], [], true),
            (#"["a"]"#, #"["\u0061","b"]"#, ["b"], [], false),
            (#"["a\"b"]"#, #"["a"]"#, ["a"], [#"a"b"#], false), ("[1]", "[1,2]", ["2"], [], false),
            (#"["","a"," "]"#, #"["b"]"#, ["b"], ["a"], false),
            (#"["é"]"#, "[\"e\u{301}\"]", ["e\u{301}"], ["é"], false),
            (nil, #"["a"]"#, ["a"], [], false), (#"["a"]"#, nil, [], ["a"], false), (nil, nil, [], [], false),
            (#"["a","a"]"#, #"["a"]"#, [], [], true), ("[]", "[]", [], [], false),
            ("[]", "{}", [], [], false),
        ] as [(String?, String?, [String], [String], Bool)])
    func whateverIsNoPlainListIsReadAsJSON(
        old: String?, new: String?, added: [String], removed: [String], isReordered: Bool
    ) throws {
        let changes = try MemberChanges(old: old, new: new)
        #expect(changes.added.map(ExactText.init) == added.map(ExactText.init))
        #expect(changes.removed.map(ExactText.init) == removed.map(ExactText.init))
        #expect(changes.isReordered == isReordered && changes.changed.isEmpty)
    }

    @Test func entriesOfObjectsChangeByThemselves() throws {
        let changes = try MemberChanges(
            old: #"[{"id":"i","n":1},{"id":"j"}]"#, new: #"[{"id":"i","n":2},{"id":"k"}]"#)
        #expect(changes.changed == ["i"] && changes.added == ["k"] && changes.removed == ["j"])
    }

    @Test(arguments: [
        "", "[", "]", #"["#, #"["a""#, #"["a",]"#, #"[,"a"]"#, #"["a""b"]"#, #"["a"]]"#, #"["a]"#, #"["a","#,
        #"["a\"]"#, "[\"a\nb\"]", "[a]", #"{"a":1}"#, #"[""]"#,
    ])
    func brokenOrOtherTextsAreNoPlainIds(text: String) {
        var text = text
        #expect(text.withUTF8 { PlainIDs($0) == nil })
    }

    @Test func whatIsNoJSONIsAnError() {
        #expect(throws: JSONError.self) { try MemberChanges(old: #"["a""#, new: #"["a"]"#) }
    }

    /// With any seed, one whose slots all collide included: the table is small, and ids are many.
    @Test(arguments: [0, 1, UInt64.max]) func everyIdIsFoundWhereItIsLast(seed: UInt64) {
        var text = Self.text((0..<500).map { "id-\($0 % 400)" })
        text.withUTF8 { bytes in
            guard let ids = PlainIDs(bytes)?.ids else {
                Issue.record("These are plain ids.")
                return
            }
            let places = PlainIDPlaces(ids, seed: seed)
            let found = ids.map { places.last(of: $0, guess: 0) }
            #expect(found == (0..<500).map { $0 % 400 < 100 ? 400 + $0 % 400 : $0 })
        }
    }
}
