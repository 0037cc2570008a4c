import Testing

@testable import MirrorStore

@Suite("Evidence in the change log")
struct EvidenceTests {
    private static let list = "/partner/p/artworks?ids=1&size=all"
    private static let since = "2026-11-12T10:00:00.000Z"

    /// The texts are in the logs of existing mirrors, so they must not change.
    static let texts: [(Evidence, String)] = [
        (.notListed(by: list), "not in \(list)"),
        (.notListed(by: list, missing: "/artwork/x"), "not in \(list); 404 from /artwork/x"),
        (
            .notListed(by: list, absences: .init(lists: 3, since: since)),
            "not in \(list); missing from 3 complete lists since \(since)"
        ),
        (
            .notListed(by: list, missing: "/artwork/x", absences: .init(lists: 1, since: since)),
            "not in \(list); 404 from /artwork/x; missing from 1 complete lists since \(since)"
        ),
        (.answered(status: 410, url: "/album/a"), "410 from /album/a"),
        (.absent(in: "/artist/x"), "absent in the answer of /artist/x"),
        (.deleted(accordingTo: "/feed?after=1"), "deleted, says /feed?after=1"),
        (.reportedAsDeleted, "the server reports it as deleted"),
        (.namedByNoArtwork, "no artwork names it any more"),
        (.unreferenced, "not listed, and nothing refers to it any more"),
        (
            .ended(on: "2026-01-31", keptDays: 30),
            "ended 2026-01-31; shows are kept for 30 days after their end"
        ),
        (.deletedHere, "deleted here"), (.deletedHereBeforePush, "deleted here before it was pushed"),
        (.deletedByClient, "deleted by a client"), (.restored(fromRun: 12), "restored from run 12"),
        (.restored(fromRun: nil), "restored"), (.restoreUndone, "restore undone"),
        (.referredTo, "referred to, though not listed"), (.listedNow, "listed by the server now"),
        (.listedAgain, "listed by the server again"),
        (.picturesWithdrawn(2), "the source no longer offers 2 of its stored pictures"),
        (.loaded, "loaded as one snapshot"), (.other("/show/s/artworks"), "/show/s/artworks"),
    ]

    @Test(arguments: texts) func `evidence is read as it was written`(evidence: Evidence, text: String) {
        #expect(evidence.text == text)
        #expect(Evidence(text) == evidence)
    }

    @Test(arguments: [
        "", "404", "404 fromage", "4040 from /x", "+40 from /x", "restored from run <script>", "ended",
        "ended 2026-01-31",
        "ended 2026-01-31; shows are kept for many days after their end",
        "ended 2026-01-31; shows are kept for  days after their en",
        "the source no longer offers some pictures",
        "restored\u{301}",
    ])
    func `another text stays as it is`(text: String) {
        #expect(Evidence(text) == .other(text))
        #expect(Evidence(text).text == text)
    }
}
