import Catalogue
import Testing

@testable import MirrorCLI

@Suite struct SwitchboardTests {
    private static let table: [([String], SiteTarget)] = [
        (["artwork", "x"], .object(.artwork, "x")), (["shows", "y"], .object(.show, "y")),
        (["partner", "p"], .object(.partner, "p")), (["/artist/x"], .object(.artist, "x")),
        (["/show/y/artwork/z"], .within(.artwork, "z", of: .show, "y")),
        (["/cmoa/album/a"], .object(.album, "a")),
        (["https://example.org/artist/x?a=b"], .object(.artist, "x")),
        (["/artworks"], .list(.artwork)), (["/"], .partner), (["/artist/a%2Fb"], .object(.artist, "a/b")),
    ]

    @Test(arguments: Self.table.indices)
    func objectsCanBeNamedByWordsPathsAndAddresses(index: Int) throws {
        let (words, target) = Self.table[index]
        #expect(try Switchboard.target(words, partners: ["cmoa"]) == target)
    }

    @Test(arguments: [
        ["/other/artist/x"], ["/foo"], ["artwork"], ["painting", "x"], ["/artist/x/y"], ["a", "b", "c"],
        ["http://[bad"], ["http:///artist/x"], ["http://a b/artist/x"],
    ])
    func pathsOfOtherPartnersAndUnknownKindsAreRefused(words: [String]) {
        #expect(throws: (any Error).self) { try Switchboard.target(words, partners: ["cmoa", "the-slug"]) }
    }
}
