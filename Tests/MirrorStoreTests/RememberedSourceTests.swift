import Testing

@testable import MirrorStore

@Suite("The described source of a mirror") struct RememberedSourceTests {
    private static let source = RememberedSource(
        name: "met", base: "https://h.test/v1", describedBase: "https://museum.test/v1",
        selection: [.init("department", "11"), .init("name", "a=b, \"c\""), .init("department", "3")],
        descriptionHash: "abc")

    @Test func aMirrorRemembersItsSourceAndItsBaseAsTheOrigin() throws {
        let test = try TestStore()
        #expect(try test.store.source == nil)
        #expect(try test.folder.rememberedSource() == nil)
        try test.store.setSource(Self.source)
        #expect(try test.store.source == Self.source)
        #expect(try test.store.origin == "https://h.test/v1")
        #expect(try test.folder.rememberedSource() == Self.source)
        #expect(try test.folder.rememberedServer().origin == "https://h.test/v1")
    }

    @Test func anotherBaseSelectionAndDescriptionReplaceTheEarlierOnes() throws {
        let test = try TestStore()
        try test.store.setSource(Self.source)
        let other = RememberedSource(name: "met", base: "http://127.0.0.1:8/x", descriptionHash: "def")
        try test.store.setSource(other)
        #expect(try test.store.source == other)
        #expect(try test.store.origin == "http://127.0.0.1:8/x")
    }

    @Test func aMirrorOfAServerWithThePartnerAPIHasNoSource() throws {
        let test = try TestStore()
        try test.store.setOrigin("https://h.test/api/v1")
        #expect(try test.store.source == nil)
    }

    @Test func rememberingTheSameSourceAgainWritesNothing() throws {
        let test = try TestStore()
        try test.store.setSource(Self.source)
        let generation = try test.store.generation()
        try test.store.setSource(Self.source)
        #expect(try test.store.generation() == generation)
    }

    @Test func `objects that only an earlier selection listed are no defects`() throws {
        let test = try TestStore()
        let first = try test.beginRun()
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), run: first)
        try test.store.endRun(first, outcome: "complete", summary: "{}", errors: [])
        let second = try test.beginRun()
        try test.list(.artwork, ["a"], run: second)
        try test.store.endRun(second, outcome: "complete", summary: "{}", errors: [])
        for hasFormer in [false, true] {
            try test.store.setSource(
                RememberedSource(
                    name: "met", base: "https://h.test", descriptionHash: "", hasFormerSelection: hasFormer))
            var defects: [StoreDefect] = []
            try test.store.check(.lists) { defects.append($0) }
            #expect(defects == (hasFormer ? [] : [.unlisted(.artwork, "b")]))
        }
    }
}
