import Foundation
import MirrorHTTP
import Testing

@testable import MirrorSync

@Suite("Decisions of a watch of a described source") struct WatchedSourceTests {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func verdict(_ summary: SyncSummary) -> String {
        switch WatchVerdict(summary, isKnown: true) {
        case .continues: "continues"
        case .retries: "retries"
        case .waits(let until): "waits \(Int(until.timeIntervalSince(Self.now)))"
        case .ends: "ends"
        case .cancelled: "cancelled"
        }
    }

    @Test(
        arguments: [
            (SyncError.Code.source, "ends"), (.ended, "ends"), (.badAnswer, "retries"),
            (.unreachable, "retries"),
        ] as [(SyncError.Code, String)])
    func anEndedServiceAndAWrongDescriptionEndAWatch(code: SyncError.Code, expected: String) {
        #expect(verdict(SyncSummary(partner: "met", failure: SyncError(code, ""))) == expected)
    }

    @Test func aWatchWaitsUntilTheSourceAllowsRequestsAgain() {
        var paused = SyncSummary(partner: "met", outcome: .partial)
        paused.cause = SyncError(.paused, "")
        #expect(verdict(paused) == "retries")
        paused.continuesAt = Self.now + 7_200
        #expect(verdict(paused) == "waits 7200")
        paused.cause = nil
        #expect(verdict(paused) == "continues")
    }

    @Test(
        arguments: [
            (HTTPError.Code.dailyBudgetUsedUp, 3_600), (.blocked, 120), (.serviceEnded, nil),
            (.badResponse, nil),
        ] as [(HTTPError.Code, Int?)])
    func onlyAUsedUpBudgetAndABlockPauseARun(code: HTTPError.Code, seconds: Int?) {
        let error = SyncError(HTTPError(code, "", retryAfter: .seconds(seconds ?? 5)))
        #expect(error.pause == seconds.map { .seconds($0) })
    }

    @Test func noSyncBeginsBeforeTheSourceAllowsIt() {
        var agenda = SyncAgenda(now: Self.now)
        agenda.poll(every: .seconds(100), from: Self.now)
        let until = Self.now + 50_000
        agenda.failed(at: Self.now + 100, random: 1, until: until)
        #expect(agenda.due(at: until - 1, hasEdits: true, hasMissingLists: true) == nil)
        #expect(agenda.next == until)
        #expect(agenda.due(at: until, hasEdits: false) == .poll)
        // The clock was set back by a month: the time is further ahead than any wait.
        #expect(agenda.due(at: Self.now - 30 * 86_400, hasEdits: false) == .poll)
    }

    @Test func aSourceIsRecognisedByItsPaceAndNotByAnExtension() {
        var sync = SyncSummary(partner: "met", outcome: .complete)
        sync.extensions = ["source", "events"]
        #expect(WatchWay(sync, hasEvents: false) == .tree)
        sync.pace = RequestPace(spacing: 1)
        #expect(WatchWay(sync, hasEvents: true) == .source)
    }

    @Test func theIntervalFollowsFromTheRequestsOfTheLastSyncWithoutItsWaits() {
        var sync = SyncSummary(partner: "met", outcome: .complete)
        (sync.requests.sent, sync.seconds, sync.pace) = (60, 60, RequestPace(spacing: 1))
        #expect(WatchWay.source.interval(after: sync, least: .seconds(30)) == .seconds(600))
        (sync.requests.waited, sync.seconds) = (.seconds(240), 300)
        #expect(WatchWay.source.interval(after: sync, least: .seconds(30)) == .seconds(600))
        #expect(WatchWay.source.interval(after: nil, least: .seconds(30)) == .seconds(3_600))
    }

    @Test func theSummaryOfAPausedRunSaysWhenItContinues() {
        var paused = SyncSummary(partner: "met", outcome: .partial)
        #expect(paused.json["continues_at"] == nil)
        paused.continuesAt = Date(timeIntervalSince1970: 1_795_824_000)
        #expect(paused.json["continues_at"] == "2026-11-28T00:00:00.000Z")
    }
}
