import Catalogue
import Testing

@testable import MirrorStore

@Suite("Differences between two states of a list") struct MemberChangesTests {
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
    func listMembersAreComparedByTheBytesOfTheirIds(
        old: String?, new: String?, added: [String], removed: [String], isReordered: Bool
    ) throws {
        let changes = try MemberChanges(old: old, new: new)
        #expect(changes.added.map(ExactText.init) == added.map(ExactText.init))
        #expect(changes.removed.map(ExactText.init) == removed.map(ExactText.init))
        #expect(changes.isReordered == isReordered && changes.changed.isEmpty)
    }

    @Test func aListMemberWithAnotherContentIsReportedAsChanged() throws {
        let changes = try MemberChanges(
            old: #"[{"id":"i","n":1},{"id":"j"}]"#, new: #"[{"id":"i","n":2},{"id":"k"}]"#)
        #expect(changes.changed == ["i"] && changes.added == ["k"] && changes.removed == ["j"])
    }

    @Test func comparingListsThatAreNotJSONIsAnError() {
        #expect(throws: JSONError.self) { try MemberChanges(old: #"["a""#, new: #"["a"]"#) }
    }

    @Test func `Another order of members that are left out is no other order`() throws {
        let changes = try MemberChanges(old: #"["a","x","y","b"]"#, new: #"["a","y","x","b"]"#)
        #expect(changes.isReordered && !changes.filtered { $0 == "a" || $0 == "b" }.isReordered)
        #expect(changes.filtered { $0 != "a" }.isReordered)
        let moved = try MemberChanges(old: #"["a","x","b"]"#, new: #"["b","x","a"]"#)
        #expect(moved.filtered { $0 != "x" }.isReordered)
    }
}
