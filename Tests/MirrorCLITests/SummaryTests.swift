import Catalogue
import MirrorHTTP
import MirrorStore
import Testing

@testable import MirrorCLI
@testable import MirrorSync

@Suite struct SummaryTests {
    private func summary(_ outcome: SyncSummary.Outcome) -> SyncSummary {
        var summary = SyncSummary(partner: "cmoa", outcome: outcome)
        summary.objects = [
            "artist": .init(listed: 2_107, created: 3, updated: 2, unchanged: 2_102),
            "artwork": .init(listed: 5_480, created: 5, updated: 93, unchanged: 5_381, deleted: 1, failed: 1),
            "image": .init(listed: 7, created: 7), "album": .init(),
        ]
        summary.requests.sent = 131
        summary.requests.notModified = 8
        summary.requests.jsonBytes = 1_308_517
        summary.seconds = 2.34
        return summary
    }

    @Test func theSummaryOfACompleteSyncIsATable() {
        #expect(
            SummaryText.lines(summary(.complete), place: "/data/cmoa") == [
                "cmoa is up to date: 8 new, 95 changed, 1 gone, 7 pictures fetched.",
                "",
                "            listed  new  changed  gone  failed",
                "  artists    2,107    3        2     ·       ·",
                "  artworks   5,480    5       93     1       1",
                "  pictures       7    7        ·     ·       ·",
                "",
                "131 requests (8 not modified), 1.3 MB, 2.3 s",
                "The files are in /data/cmoa",
            ])
    }

    @Test func theSummaryCountsUnavailableFilesInASentence() {
        var complete = summary(.complete)
        complete.unavailable = UnavailableFiles(images: 30)
        #expect(
            SummaryText.lines(complete, place: "/data/cmoa").last
                == "30 pictures are missing because the server did not have them when last requested; a sync with media requests them again after a day."
        )
        #expect(RunReport.sentence(complete) == nil && ExitStatus(complete) == .complete)
        #expect(
            UnavailableText.sentence(UnavailableFiles(documents: 1))
                == "1 document is missing because the server did not have it when last requested; a sync with media requests it again after a day."
        )
        #expect(
            UnavailableText.words(UnavailableFiles(images: 2, documents: 1)) == "2 pictures and 1 document")
        #expect(
            UnavailableText.sentence(UnavailableFiles(tiles: 28))?.hasPrefix("28 tiles are missing") == true)
        #expect(UnavailableText.sentence(UnavailableFiles()) == nil)
    }

    @Test func `a summary says how many listed objects the server does not have`() {
        var complete = summary(.complete)
        complete.absent = [.artwork: 16, .artist: 1]
        #expect(
            SummaryText.lines(complete, place: "/data/cmoa").last
                == "1 artist and 16 artworks in the server's list are missing because the server did not have them when last requested; a sync requests them again after a day."
        )
        #expect(RunReport.sentence(complete) == nil && ExitStatus(complete) == .complete)
        #expect(complete.json["unavailable"]?.objectValue?["artwork"] == 16)
        #expect(UnavailableText.sentence([.artwork: 1])?.contains("list is missing") == true)
        #expect(UnavailableText.sentence([Kind: Int]()) == nil)
    }

    @Test func theSummaryReportsPicturesWithoutUsableTiles() {
        var complete = summary(.complete)
        complete.untiled = 1
        #expect(
            SummaryText.lines(complete, place: "/data/cmoa").last
                == "1 picture has no tiles, because the server describes too many tiles or none that can be fetched. List the pictures with --json."
        )
        #expect(ExitStatus(complete) == .complete)
    }

    @Test func theSummaryShowsTenProblemsAndCountsTheOthers() {
        var partial = summary(.partial)
        partial.problems = (1...12).map {
            Problem(what: "object", kind: "artwork", id: "a\($0)\u{1B}", message: "It failed.")
        }
        partial.furtherProblems = 30
        let lines = SummaryText.lines(partial, place: "/data/cmoa")
        #expect(lines.contains("  object artwork a1�: It failed."))
        #expect(lines.filter { $0.hasSuffix("It failed.") }.count == 10)
        #expect(lines.last == "  and 32 more")
        #expect(RunReport.sentence(partial)?.hasPrefix("42 problems occurred") == true)
        var paused = partial
        paused.failure = "The requests of this day are used up. Try again tomorrow."
        #expect(RunReport.sentence(paused) == paused.failure)
    }

    @Test func theMessageForFailedEditsDoesNotRecommendAnotherRun() {
        var partial = summary(.partial)
        partial.problems = [Problem(what: "push", kind: "album", id: "m", message: "No.")]
        #expect(
            RunReport.sentence(partial)
                == "1 edit could not be pushed to the server; everything else is up to date. See mirror status \(partial.partner)"
        )
        partial.problems.append(Problem(what: "object", kind: "artwork", id: "a", message: "No."))
        #expect(RunReport.sentence(partial)?.hasPrefix("2 problems occurred") == true)
    }

    @Test func theSummaryOfAFailedSyncHasNoTable() {
        var failed = SyncSummary(partner: "x", outcome: .failed)
        failed.failure = "Can't reach it."
        #expect(SummaryText.lines(failed, place: "/x") == ["x could not be brought up to date."])
        #expect(RunReport.sentence(failed) == "Can't reach it.")
    }

    @Test func itemsAndProblemsArePrintedAsJSONObjects() {
        #expect(
            RunReport.object(.item(kind: "image", id: "i", action: "fetched", bytes: 12)).canonicalText
                == #"{"action":"fetched","bytes":12,"id":"i","kind":"image","type":"item"}"#)
        #expect(
            RunReport.object(.problem(Problem(what: "list", kind: nil, id: nil, message: "m"))).canonicalText
                == #"{"message":"m","type":"problem","what":"list"}"#)
    }
}
