import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("The state of a mirror in sentences") struct MirrorStateTests {
    private static let now = Timestamp("2026-11-26T16:00:00.000Z") ?? Timestamp(seconds: 0)

    private static func run(
        _ outcome: String?, command: String = "sync", summary: String = "{}",
        ended: String = "2026-11-26T15:20:00.000Z"
    ) -> CatalogueStore.RunRecord {
        CatalogueStore.RunRecord(
            run: 7, command: command, startedAt: "2026-11-26T15:19:00.000Z",
            endedAt: outcome == nil ? nil : ended,
            outcome: outcome, errors: 0, summary: outcome == nil ? nil : summary)
    }

    /// A mirror that was complete on 24 November, and whose last run had an outcome.
    private static func facts(
        _ outcome: String?, summary: String = "{}", complete: String? = "2026-11-24T15:21:00.000Z"
    )
        -> MirrorFacts
    {
        var facts = MirrorFacts()
        facts.lastComplete = complete
        facts.lastRun = run(outcome, summary: summary)
        facts.isIncomplete = complete == nil
        return facts
    }

    private func lines(_ facts: MirrorFacts, isCatalogue: Bool = false, _ face: Face = .visitors) -> [String]
    {
        MirrorState(facts, isCatalogue: isCatalogue, for: face, now: Self.now).notices.map { notice in
            [notice.severity.rawValue, notice.strong, notice.text, notice.link ?? ""].filter { !$0.isEmpty }
                .joined(separator: " | ")
        }
    }

    @Test func aFreshMirrorHasNoStrip() {
        #expect(lines(Self.facts("complete")).isEmpty)
        #expect(lines(Self.facts(nil)).isEmpty, "the next sync is under way")
    }

    @Test func aMirrorWithoutARunIsEmpty() {
        let state = MirrorState(MirrorFacts(), for: .visitors, now: Self.now)
        #expect(state.isEmpty)
        #expect(state.notices.isEmpty)
    }

    static let outcomes: [(outcome: String, summary: String, line: String)] = [
        (
            "failed", #"{"error":"secret /home/x"}"#,
            "The last sync failed | on 26 November at 15:20 UTC. You see the catalogue as of 24 November, 15:21 UTC. | What happened"
        ),
        (
            "failed", #"{"error":"budget","continues_at":"2026-11-27T00:00:00.000Z"}"#,
            "The last sync is waiting. | The source allows no further requests before 27 November, 00:00 UTC. You see the catalogue as of 24 November, 15:21 UTC. | What happened"
        ),
        (
            "partial", "{}",
            "The last sync was not complete. | It ended on 26 November at 15:20 UTC, and not everything could be fetched. The next one asks for it again. | What happened"
        ),
        (
            "killed", "{}",
            "The last sync was stopped | on 26 November at 15:20 UTC, before its end. You see the catalogue as of 24 November, 15:21 UTC. | What happened"
        ),
        (
            "cancelled", "{}",
            "The last sync was stopped | on 26 November at 15:20 UTC, before its end. You see the catalogue as of 24 November, 15:21 UTC. | What happened"
        ),
    ]

    @Test(arguments: outcomes)
    func theLastRunsOutcomeIsSaid(outcome: String, summary: String, line: String) {
        #expect(lines(Self.facts(outcome, summary: summary)) == [line])
    }

    static let guarded: [(outcome: String, summary: String, line: String)] = [
        (
            "guarded", #"{"guard":[{"kind":"artwork","held":300,"listed":88,"deletions":212}]}"#,
            "bad | Waiting for a decision. | 212 artworks are no longer listed; that is more than a sync removes by itself. They are all still here. | What to do"
        ),
        (
            "guarded",
            #"{"guard":[{"kind":"show","held":1,"listed":0,"deletions":1}]}"#,
            "bad | Waiting for a decision. | 1 show is no longer listed; that is more than a sync removes by itself. It is still here. | What to do"
        ),
        (
            "guarded",
            #"{"guard":[{"kind":"show_artwork","held":50,"listed":20,"deletions":30},{"kind":"artist","held":90,"listed":60,"deletions":30}]}"#,
            "bad | Waiting for a decision. | 30 artworks in shows and 30 artists are no longer listed; that is more than a sync removes by itself. They are all still here. | What to do"
        ),
        (
            "guarded", #"{"guard":"nonsense"}"#,
            "bad | Waiting for a decision. | The server’s lists lack more than a sync removes by itself. All of it is still here. | What to do"
        ),
    ]

    @Test(arguments: guarded)
    func onlyStaffSeeHowMuchWaitsForADecision(outcome: String, summary: String, line: String) {
        let facts = Self.facts(outcome, summary: summary)
        #expect(lines(facts, .staff) == [line])
        #expect(
            lines(facts) == [
                "bad | Waiting for a decision. | Some objects are no longer listed; that is more than a sync removes by itself. They are all still here. | What happened"
            ])
    }

    @Test func onlyStaffSeeTheMessageOfAFailure() {
        let facts = Self.facts("failed", summary: #"{"error":"The server did not answer"}"#)
        #expect(lines(facts, .staff)[0].contains("at 15:20 UTC: The server did not answer. You see"))
        #expect(!lines(facts)[0].contains("answer"))
    }

    @Test func theFirstSyncSaysHowMuchIsHere() {
        var facts = Self.facts(nil, complete: nil)
        facts.firstCopy = .init(artworks: 1_204, listed: 5_668)
        #expect(
            lines(facts) == [
                "The first sync is under way, or was stopped. | 1,204 of about 5,668 artworks are here."
            ])
        facts.firstCopy = .init(artworks: 1, listed: nil)
        #expect(lines(facts)[0].contains("| 1 artwork is here so far."))
        facts.firstCopy = .init(artworks: 0, listed: nil)
        #expect(lines(facts)[0].contains("| No artwork is here yet."))
        facts.lastRun = Self.run("killed")
        #expect(
            lines(facts) == [
                "The first sync is not complete. | No artwork is here yet. The last run was stopped on 26 November at 15:20 UTC. | What happened"
            ])
        facts.lastRun = Self.run("failed", summary: #"{"continues_at":"2026-11-27T00:00:00.000Z"}"#)
        #expect(
            lines(facts)[0].hasSuffix(
                "The source allows no further requests before 27 November, 00:00 UTC. | What happened"))
    }

    @Test func `A partial import says that something could not be read`() {
        var facts = Self.facts("partial")
        facts.lastRun = Self.run("partial", command: "import")
        #expect(
            lines(facts) == [
                "The last import was not complete. | It ended on 26 November at 15:20 UTC, and not everything could be read. The next one reads it again. | What happened"
            ])
        facts.lastComplete = nil
        #expect(
            lines(facts) == [
                "The first import is not complete. | No artwork is here yet. The last run ended on 26 November at 15:20 UTC, and not everything could be read. | What happened"
            ])
    }

    @Test func `Applied events that failed are not called a sync`() {
        var facts = Self.facts("partial")
        facts.lastRun = Self.run("partial", command: "events")
        #expect(lines(facts)[0].hasPrefix("The last run was not complete. | It ended on 26 November"))
    }

    @Test func aRunOfSomeKindsDoesNotHideAnEarlierPartialOne() {
        var facts = Self.facts("complete")
        facts.isIncomplete = true
        #expect(lines(facts)[0].hasPrefix("Something may be missing."))
    }

    static let ages: [(complete: String, interval: String?, line: String?)] = [
        ("2026-11-20T15:21:00.000Z", nil, nil),
        (
            "2026-11-07T15:20:00.000Z", nil,
            "This copy is 19 days old. | It was up to date on 7 November at 15:20 UTC. | History"
        ),
        (
            "2025-11-07T15:20:00.000Z", nil,
            "This copy is 384 days old. | It was up to date on 7 November 2025 at 15:20 UTC. | History"
        ),
        // Three intervals of two hours.
        (
            "2026-11-26T09:00:00.000Z", "2026-11-26T11:00:00.000Z",
            "This copy is 7 hours old. | It was up to date on 26 November at 09:00 UTC. | History"
        ),
        ("2026-11-26T11:00:00.000Z", "2026-11-26T13:00:00.000Z", nil),
        // Three intervals of a minute are no age.
        ("2026-11-26T15:50:00.000Z", "2026-11-26T15:51:00.000Z", nil),
        // A clock that was wrong.
        ("2027-11-26T15:50:00.000Z", nil, nil),
    ]

    @Test(arguments: ages) func anOldMirrorSaysItsAge(complete: String, interval: String?, line: String?) {
        var facts = Self.facts("complete", complete: complete)
        if let interval {
            facts.loops = [LoopRecord(id: LoopRecord.pollID, kind: .poll, lastAt: complete, nextAt: interval)]
        }
        #expect(lines(facts) == [line].compactMap(\.self))
        #expect(lines(facts, isCatalogue: true).isEmpty, "an imported catalogue doesn't become old")
    }

    @Test func aFeedThatWasReadKeepsAMirrorFresh() {
        var facts = Self.facts("complete", complete: "2026-11-01T15:20:00.000Z")
        facts.loops = [LoopRecord(id: LoopRecord.coreID, kind: .core, lastAt: "2026-11-26T15:59:00.000Z")]
        #expect(lines(facts).isEmpty)
    }

    @Test func aPauseIsSaidBesideEverythingElse() {
        var facts = Self.facts("failed")
        facts.pausedAt = "2026-11-25T10:00:00.000Z"
        #expect(
            lines(facts).last
                == "Syncs are paused | since 25 November at 10:00 UTC, until somebody resumes them."
        )
        #expect(lines(facts).count == 2)
    }

    // MARK: - The headline

    private func headline(
        files: (here: Int, wanted: Int)?, ghosts: Int?, _ facts: MirrorFacts? = nil,
        following: HistoryFacts.Following? = nil
    ) -> String {
        var history = HistoryFacts()
        history.following = following
        history.files = files
        history.ghosts = ghosts.map { (0..<$0).map { .init(kind: .artist, id: "\($0)", triedAt: nil) } }
        let state = MirrorState(facts ?? Self.facts("complete"), for: .visitors, now: Self.now)
        let notice = HistoryHeadline(state, history, lastComplete: Self.run("complete"), now: Self.now).notice
        return "\(notice.severity.rawValue) \(notice.strong) \(notice.text)"
    }

    @Test func freshAndWholeIsSaidOnlyIfNothingIsMissing() {
        let end = "The last complete sync ended on 26 November at 15:20 UTC."
        #expect(
            headline(files: (87, 87), ghosts: 0)
                == "good Fresh and complete. \(end) Everything that the server lists is here, with every picture and document."
        )
        #expect(
            headline(files: (85, 87), ghosts: 0)
                == " Fresh, but not complete. \(end) Everything that the server lists is here, but for 2 files."
        )
        #expect(
            headline(files: (87, 87), ghosts: 1)
                == "good Fresh. \(end) Everything that the server lists is here, with every picture and document. One object is only referred to: the server does not have it."
        )
        #expect(
            headline(files: nil, ghosts: 0) == "good Fresh. \(end) Everything that the server lists is here.")
        #expect(
            headline(files: (0, 0), ghosts: 0)
                == "good Fresh and complete. \(end) Everything that the server lists is here.")
        #expect(
            headline(files: (87, 87), ghosts: 0, Self.facts("failed")).hasPrefix(" The last sync failed on"))
    }

    @Test func `A mirror that follows events says when they were read and applied`() {
        let read = HistoryFacts.Following(readAt: "2026-11-26T15:59:00.000Z", appliedAt: nil)
        let applied = HistoryFacts.Following(
            readAt: "2026-11-26T15:59:00.000Z", appliedAt: "2026-11-26T15:40:00.000Z")
        let end = "The last complete sync ended on 26 November at 15:20 UTC."
        let events = "The server’s events were last read on 26 November at 15:59 UTC"
        #expect(
            headline(files: nil, ghosts: 0, following: read)
                == "good Fresh. \(end) \(events). Everything that the server lists is here.")
        #expect(
            headline(files: nil, ghosts: 0, following: applied)
                == "good Fresh. \(end) \(events), and last changed something on 26 November at 15:40 UTC. Everything that the server lists is here."
        )
    }
}
