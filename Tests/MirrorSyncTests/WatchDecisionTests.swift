import Catalogue
import Foundation
import Testing

@testable import MirrorStore
@testable import MirrorSync

@Suite("Decisions of a watch")
struct WatchDecisionTests {
    @Test(arguments: [
        // way, seconds, requests, least -> interval
        (WatchWay.since, 0.2, 10, 30, 100), (.since, 3.0, 10, 30, 300), (.since, 0.0, 0, 30, 30),
        (.since, 0.2, 10, 600, 600), (.validators, 20.0, 10, 30, 2_000), (.tree, 10.0, 1_000, 30, 10_000),
        (.tree, 1e12, 1_000_000, 30, 86_400), (.tree, 1.0, 1, 100_000, 100_000),
    ])
    func thePollIntervalDependsOnTheCostOfTheLastPoll(
        _ way: WatchWay, _ seconds: Double, _ requests: Int, _ least: Int, _ expected: Int
    ) {
        var poll = SyncSummary(partner: "p", outcome: .complete)
        (poll.seconds, poll.requests.sent) = (seconds, requests)
        #expect(way.interval(after: poll, least: .seconds(least)) == .seconds(expected))
    }

    @Test func theFirstPollIntervalDependsOnTheWay() {
        let intervals = [WatchWay.since, .validators, .tree].map {
            $0.interval(after: nil, least: .seconds(30))
        }
        #expect(intervals == [.seconds(100), .seconds(300), .seconds(3_600)])
    }

    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    @Test func aSyncIsDueDailyAndForLocalEdits() {
        var agenda = SyncAgenda(now: Self.now)
        #expect(agenda.due(at: Self.now, hasEdits: false) == nil)
        #expect(agenda.due(at: Self.now, hasEdits: true) == .edits)
        #expect(agenda.due(at: Self.now + 86_400, hasEdits: false) == .daily)
        // The clock was a year ahead when the last sync was noted.
        #expect(agenda.due(at: Self.now - 365 * 86_400, hasEdits: false) == .daily)
        agenda.succeeded(at: Self.now, hasEdits: true)
        #expect(agenda.due(at: Self.now + 59, hasEdits: true) == nil)
        #expect(agenda.due(at: Self.now + 60, hasEdits: true) == .edits)
        agenda.succeeded(at: Self.now, hasEdits: true)
        #expect(agenda.due(at: Self.now + 60, hasEdits: true) == nil)
        #expect(agenda.due(at: Self.now + 120, hasEdits: true) == .edits)
        agenda.succeeded(at: Self.now, hasEdits: false)
        #expect(agenda.due(at: Self.now + 60, hasEdits: true) == .edits)
    }

    /// Events don't report changes from before the watch, so a missing list must be requested by a sync.
    @Test func syncsForAMissingListAreDueAtGrowingIntervals() {
        var agenda = SyncAgenda(now: Self.now)
        #expect(agenda.due(at: Self.now + 600, hasEdits: false, owes: false) == nil)
        for minutes in [10.0, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440] {
            let time = Self.now + minutes * 60
            #expect(agenda.due(at: time - 1, hasEdits: false, owes: true) == nil, "\(minutes)")
            #expect(agenda.due(at: time, hasEdits: false, owes: true) == .daily)
            agenda.succeeded(at: Self.now, hasEdits: false, owes: true)
        }
        agenda.succeeded(at: Self.now, hasEdits: false, owes: false)
        #expect(agenda.due(at: Self.now + 600, hasEdits: false, owes: true) == .daily)
    }

    @Test func aFailedSyncIsTriedAgainAtGrowingIntervals() {
        var agenda = SyncAgenda(now: Self.now)
        agenda.poll(every: .seconds(100), from: Self.now)
        #expect(agenda.due(at: Self.now + 99, hasEdits: false) == nil)
        #expect(agenda.due(at: Self.now + 100, hasEdits: false) == .poll)
        agenda.failed(at: Self.now + 100, random: 1)
        #expect(agenda.due(at: Self.now + 101, hasEdits: true) == nil)
        #expect(agenda.due(at: Self.now + 102, hasEdits: false) == .poll)
        for _ in 0..<30 { agenda.failed(at: Self.now + 100, random: 1) }
        #expect(agenda.next == Self.now + 1_900)
        agenda.succeeded(at: Self.now + 200, hasEdits: false)
        #expect(agenda.next == Self.now + 300)
        agenda.hurry(Self.now + 210)
        #expect(agenda.due(at: Self.now + 210, hasEdits: false) == .poll)
    }

    @Test(arguments: [nil, Duration.seconds(100)])
    func aRequestForASyncIsFulfilledByASyncThatStartsLater(pollInterval: Duration?) {
        let wanted: WatchSync = pollInterval == nil ? .daily : .poll
        for fails in [false, true] {
            var agenda = SyncAgenda(now: Self.now)
            agenda.poll(every: pollInterval, from: Self.now)
            agenda.hurry(Self.now + 1)
            agenda.began()
            #expect(agenda.due(at: Self.now + 1, hasEdits: false) == nil)
            // The second request is made while that sync runs, which may have read its lists already.
            agenda.hurry(Self.now + 2)
            if fails {
                agenda.failed(at: Self.now + 3, random: 1)
            } else {
                agenda.succeeded(at: Self.now + 3, hasEdits: false)
                agenda.poll(every: pollInterval, from: Self.now + 3)
            }
            #expect(agenda.due(at: Self.now + 3, hasEdits: false) == wanted)
            #expect(agenda.next == Self.now + 2)
            agenda.began()
            agenda.succeeded(at: Self.now + 4, hasEdits: false)
            #expect(agenda.due(at: Self.now + 4, hasEdits: false) == nil)
        }
    }

    private func event(_ action: PartnerEvent.Action, _ object: JSONObject?, etag: String? = nil)
        -> PartnerEvent
    {
        PartnerEvent(kind: "artwork", id: "a", action: action, etag: etag, object: object)
    }

    @Test func anEventAndTheStoredObjectDecideWhetherToStoreOrRequest() {
        let json = #"{"id":"a","title":"T","updated_at":"2026-11-21T10:00:00Z"}"#
        let plain = StoredBase(json: json, etag: "\"1\"", isPlain: true)
        let edited = StoredBase(json: json, etag: "\"1\"", isPlain: false)
        let ghost = StoredBase(json: nil, etag: nil, isPlain: false)
        let body: JSONObject = ["id": "a", "title": "U"]
        let older: JSONObject = ["id": "a", "updated_at": "2026-11-21T09:00:00Z"]
        let table: [(PartnerEvent, StoredBase?, EventVerdict)] = [
            (event(.update, body, etag: "\"1\""), plain, .current),
            (event(.update, nil, etag: "\"1\""), plain, .current),
            (event(.update, body, etag: "\"1\""), edited, .body(body)),
            (event(.update, body, etag: "\"2\""), plain, .body(body)),
            (event(.update, body), plain, .body(body)),
            (event(.create, body), nil, .body(body)), (event(.create, body), ghost, .body(body)),
            (event(.update, nil, etag: "\"2\""), plain, .request(known: "\"1\"")),
            (event(.update, nil), edited, .request(known: nil)),
            (event(.update, nil), nil, .request(known: nil)),
            (event(.update, older), plain, .current), (event(.update, older), edited, .body(older)),
            (event(.update, older, etag: "\"2\""), plain, .request(known: "\"1\"")),
            (event(.update, ["title": "no id"]), plain, .request(known: "\"1\"")),
            (event(.update, ["id": "another"]), plain, .request(known: "\"1\"")),
            (
                event(.partial, ["title": "V"]), plain,
                .body(["id": "a", "title": "V", "updated_at": "2026-11-21T10:00:00Z"])
            ),
            (event(.partial, ["title": "V"]), edited, .request(known: nil)),
            (event(.partial, ["title": "V"]), ghost, .request(known: nil)),
            (event(.partial, ["title": "V"]), nil, .request(known: nil)),
            (event(.partial, ["updated_at": "2026-11-21T09:00:00Z"]), plain, .current),
        ]
        for (event, stored, expected) in table {
            #expect(
                EventVerdict(event, stored: stored, hasListETags: true) == expected,
                "\(event) on \(String(describing: stored))")
        }
    }

    /// If the server computes ETags from bodies, the merged object's ETag can be compared with the event's.
    @Test func aPartialEventThatResultsInAnotherETagMakesTheObjectBeRequested() {
        let json = #"{"id":"a","title":"T"}"#
        let tag = EntityTag.strong(of: json)
        let new: JSONObject = ["id": "a", "price": "5", "title": "T"], fields: JSONObject = ["price": "5"]
        let other = EntityTag.strong(of: #"{"id":"a","price":"5","title":"New"}"#)
        let computed = StoredBase(json: json, etag: tag, isPlain: true)
        let foreign = StoredBase(json: json, etag: "\"1\"", isPlain: true)
        let table: [(PartnerEvent, StoredBase, EventVerdict)] = [
            (event(.partial, fields, etag: EntityTag.strong(of: new.canonicalText)), computed, .body(new)),
            (event(.partial, fields, etag: other), computed, .request(known: tag)),
            (event(.partial, fields), computed, .body(new)),
            (event(.partial, fields, etag: other), foreign, .body(new)),
        ]
        for (event, stored, expected) in table {
            #expect(
                EventVerdict(event, stored: stored, hasListETags: true) == expected, "\(event) on \(stored)")
        }
    }

    /// The stored object may be an old answer from a proxy's cache. Merged, it would wrongly get the event's ETag.
    @Test func aPartialEventWithAnETagThatCannotBeCheckedMakesTheObjectBeRequested() {
        let foreign = StoredBase(json: #"{"id":"a","title":"T"}"#, etag: "\"1\"", isPlain: true)
        let fields: JSONObject = ["price": "5"], new: JSONObject = ["id": "a", "price": "5", "title": "T"]
        let verdict = EventVerdict(
            event(.partial, fields, etag: "\"2\""), stored: foreign, hasListETags: false)
        #expect(verdict == .request(known: "\"1\""))
        #expect(
            EventVerdict(event(.partial, fields), stored: foreign, hasListETags: false) == .body(new),
            "an object without an ETag is requested by the next sync")
    }

    @Test func runningShowsHaveALoopUnlessTheServerEndedTheirFeed() throws {
        func feed(
            _ show: String, _ start: String?, _ end: String?, state: String? = nil, of version: String = "1"
        )
            -> ShowFeed
        {
            ShowFeed(
                show: show, startAt: start, endAt: end, status: end == nil ? "running" : nil, version: "1",
                state: state, health: state == nil ? nil : #"{"version":"\#(version)"}"#)
        }
        let time = try #require(Timestamp("2026-11-21T12:00:00Z"))
        let feeds = [
            feed("on", "2026-11-01", "2026-11-21"), feed("tomorrow", "2026-11-22", "2026-11-30"),
            feed("past", "2026-11-01", "2026-11-20"), feed("endless", nil, nil),
            feed("over", "2026-11-01", "2026-11-30", state: LoopRecord.over),
            feed("changed", "2026-11-01", "2026-11-30", state: LoopRecord.over, of: "0"),
        ]
        #expect(feeds.filter { $0.isFollowed(at: time) }.map(\.show) == ["on", "endless", "changed"])
    }

    @Test func onlyErrorsThatAPersonMustFixEndAWatch() {
        func ends(_ error: any Error, isKnown: Bool = false) -> Bool {
            let summary = SyncSummary(partner: "p", failure: error)
            return if case .ends = WatchVerdict(summary, isKnown: isKnown) { true } else { false }
        }
        #expect(!ends(SyncError(.unknownPartner, ""), isKnown: true))
        for code in [SyncError.Code.unknownPartner, .notAuthorised, .otherOrigin, .catalogue] {
            #expect(ends(SyncError(code, "")))
        }
        for code in [SyncError.Code.unreachable, .badAnswer, .serverTrouble, .tooMany, .secret] {
            #expect(!ends(SyncError(code, "")))
        }
        for code in [StoreError.Code.newerVersion, .notOurs, .damaged, .readOnly, .invalidName] {
            #expect(ends(StoreError(code, "")))
            #expect(ends(SyncError(.storage, "", cause: StoreError(code, ""))))
        }
        for code in [StoreError.Code.locked, .diskFull, .unexpected] {
            #expect(!ends(StoreError(code, "")))
        }
    }
}
