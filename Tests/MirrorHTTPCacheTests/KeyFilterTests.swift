import Testing

@testable import MirrorHTTP

@Suite("Which keys came") struct KeyFilterTests {
    @Test func whatCameIsKnownAndHardlyAnythingElse() {
        var filter = KeyFilter()
        #expect(!filter.mayContain(EntryKey.hash("/artwork/0")))
        for number in 0..<100_000 { filter.insert(EntryKey.hash("/artwork/\(number)")) }
        #expect((0..<100_000).allSatisfy { filter.mayContain(EntryKey.hash("/artwork/\($0)")) })
        let mistaken = (100_000..<200_000).filter { filter.mayContain(EntryKey.hash("/artwork/\($0)")) }
        #expect(mistaken.count < 100)
    }

    @Test(arguments: [0, 1, -1, .min, .max]) func anyHashWillDo(_ hash: Int64) {
        var filter = KeyFilter()
        filter.insert(hash)
        #expect(filter.mayContain(hash))
        #expect(!filter.mayContain(hash ^ 0x5555))
    }
}
