import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import Testing

@testable import MirrorCLI
@testable import MirrorSync

@Suite("The text about a described source") struct SourceStatusTests {
    private static let status: SourceStatus = {
        var status = SourceStatus(
            RememberedSource(
                name: "met", base: "https://h.test/v1", selection: [.init("department", "11")],
                descriptionHash: ""))
        status.title = "The Metropolitan Museum of Art"
        status.licence = "CC0-1.0"
        status.pace = RequestPace(spacing: 1, perDay: 80_000)
        status.requests = [.init(host: "h.test", count: 12_345)]
        status.copies = [CopyProgress(.artwork, listed: 498_000, stored: 124_500)]
        status.end = Date(timeIntervalSince1970: 1_795_824_000)
        status.absent = [.artwork: 16]
        status.missing = [.artwork: 12]
        return status
    }()

    @Test func aStatusShowsTheBudgetTheCopyAndWhatIsMissing() {
        #expect(
            Self.status.facts(mirror: "met").map { "\($0.0): \($0.1)" } == [
                "source: met: The Metropolitan Museum of Art", "selection: department=11",
                "licence: CC0-1.0 (of the records)", "requests: 12,345 of 80,000 today (UTC) to h.test",
                "copy: 124,500 of 498,000 artworks stored (25 %)",
                ": all objects by about 2026-11-28 00:00 UTC, at the description's rate: at most 1 request/s, 80,000 a day",
                "absent: 16 artworks (in the source's list, but their own URL was absent; requested again after a day)",
                "missing: 12 artworks (not in the source's last list; mirror list artwork --missing --partner met)",
            ])
    }

    @Test func aStatusIsPrintedAsAJSONObject() {
        let json = Self.status.json
        #expect(json["requests_today"] == ["h.test": 12_345] && json["per_day"] == 80_000)
        #expect(json["copy"]?.objectValue?["artwork"]?.objectValue?["stored"] == 124_500)
        #expect(json["done_at"] == "2026-11-28T00:00:00.000Z" && json["error"] == nil)
    }

    @Test func aListThatIsBeingReadHasNoTotalYet() {
        var status = Self.status
        status.copies = [CopyProgress(.artwork, listed: 3_000, stored: 3_000, isListComplete: false)]
        #expect(
            status.facts(mirror: "met").contains {
                $0.1 == "the list of artworks is being read: 3,000 so far"
            })
    }

    @Test func objectsInBatchesNeedFewerRequests() {
        let copies = [
            CopyProgress(.artwork, listed: 1_000, stored: 0), CopyProgress(.artist, listed: 101, stored: 0),
        ]
        #expect(SourceStatus.requestsLeft(copies, batches: [.artist: 100]) == 1_002)
    }

    @Test(
        arguments: [
            (1.0, nil, "at most 1 request/s"), (0.05, nil, "at most 20 requests/s"),
            (1.5, nil, "at most 40 requests/min"), (0.4, 500, "at most 2.5 requests/s, 500 a day"),
            (0, 80_000, "at most 80,000 requests a day"), (0, nil, nil), (3_600, nil, "at most 1 request/h"),
        ] as [(Double, Int?, String?)])
    func theRateOfASourceIsShownAsText(spacing: Double, perDay: Int?, text: String?) {
        #expect(Wording.limit(RequestPace(spacing: spacing, perDay: perDay)) == text)
    }

    @Test func aPausedRunSaysWhatIsStoredAndHowItContinues() {
        var paused = SyncSummary(partner: "met", outcome: .partial)
        paused.objects["artwork"] = .init(listed: 498_000, created: 80_000)
        paused.cause = SyncError(.paused, "The requests are used up.")
        paused.failure = "The requests are used up."
        paused.continuesAt = Date(timeIntervalSince1970: 1_795_824_000)
        #expect(ExitStatus(paused) == .partial)
        #expect(SummaryText.headline(paused) == "met is only partly up to date: 80,000 new.")
        #expect(
            RunReport.sentence(paused)
                == "The requests are used up. Everything that was fetched is stored, and the next sync continues there. To let it wait and continue by itself, run mirror watch met"
        )
    }

    @Test func anEndedServiceFailsWithCode1() {
        #expect(ExitStatus(SyncSummary(partner: "met", failure: SyncError(.ended, ""))).rawValue == 1)
    }

    @Test func theTimeLeftFollowsFromTheRateOfASource() {
        var left = TimeLeft()
        let lanes = [TimeLeft.Lane(done: 0, left: 498_000), .init(done: 0, left: 0)]
        let shown = left.update(lanes, elapsed: 1, forecast: nil, least: 498_000)
        #expect(shown.map { Wording.left($0, hasRange: false) } == "about 6 days left")
        var unlimited = TimeLeft()
        let unknown = unlimited.update(lanes, elapsed: 1, forecast: nil)
        #expect(unknown == nil)
    }

    @Test func theProgressNamesTheRateAndABlock() {
        var state = ProgressState()
        state.limit = "at most 1 request/s"
        #expect(state.activity == "at most 1 request/s, as the source allows")
        state.current = "artwork 436535"
        #expect(state.activity == "at most 1 request/s; fetching artwork 436535")
        state.waiting = WaitingText.progress(Waiting(.blocked, remaining: .seconds(100)))
        #expect(state.activity == "waiting 1 min 40 s for the partner's server, which blocks requests")
    }

    @Test func watchAcceptsTheOptionsOfASourceForOneMirror() throws {
        let command = try WatchCommand.parse(["met", "--select", "department=11", "--rate", "2/s"])
        #expect(command.sources.hasOption && command.sources.rate == SourceOptions.Rate(2, per: .seconds(1)))
        #expect(throws: (any Error).self) { try WatchCommand.parse(["a", "b", "--source", "met"]) }
    }
}
