import Testing

@testable import CatalogueSources

@Suite struct SourceSlugTests {
    @Test(arguments: [
        ("A Made-up Print", "900001", "a-made-up-print-900001"), (nil, "900001", "900001"), ("", "7", "7"),
        ("Café «Ærø» — Łódź, ß", "7", "cafe-aero-lodz-ss-7"), ("Cafe\u{301}", "7", "cafe-7"),
        ("Maker's mark", "7", "makers-mark-7"), ("浮世絵", "7", "7"), ("  --  ", "7", "7"),
        (
            String(repeating: "long ", count: 50), "7",
            "long-long-long-long-long-long-long-long-long-long-long-long-7"
        ),
    ]) func aSlugIsMadeOfTheTitleAndTheID(_ title: String?, _ id: String, _ expected: String) {
        #expect(SourceSlug.slug(title: title, id: id) == expected)
    }

    @Test func differentIDsNeverHaveTheSameSlug() {
        let ids = [
            "1", "XX 1", "XX-1", "xx-1", "xx 1", "xx1", "XX1", "a-1", "É", "漢字", "-", "../1", "1/", "01",
        ]
        let titles = [nil, "a", "A", "xx", "b a"]
        for id in ids {
            for other in ids where other != id {
                for title in titles {
                    for otherTitle in titles {
                        #expect(
                            SourceSlug.slug(title: title, id: id)
                                != SourceSlug.slug(title: otherTitle, id: other))
                    }
                }
            }
        }
    }

    @Test(arguments: ["XX 1", "漢字", "..", "a/b", "É", "\u{1B}[0m", String(repeating: "x", count: 5_000)])
    func aSlugHasNoOtherCharacters(_ id: String) {
        for slug in [SourceSlug.slug(title: "Ünïcödé / <b>", id: id), SourceSlug.id(forName: id)] {
            #expect(!slug.isEmpty)
            #expect(slug.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) || $0 == 45 })
        }
    }

    @Test func anIDMadeOfANameIsStableAndNotANumber() {
        let id = SourceSlug.id(forName: "Ada Maker")
        #expect(id == SourceSlug.id(forName: "Ada Maker"))
        #expect(id.hasPrefix("ada-maker-"))
        #expect(id != SourceSlug.id(forName: "ada maker"))
        for name in ["501", "漢字", "-"] { #expect(SourceSlug.id(forName: name).contains("-")) }
    }
}
