import Catalogue
import Foundation
import MirrorStore
import Testing

@testable import MirrorSync

@Suite("Rules for since dates")
struct SinceRuleTests {
    static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(arguments: [
        ("2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z", PullWay.Reason?.none),
        ("2026-11-21T12:00:01Z", "2026-11-21T12:00:00Z", .ahead),
        // Two calendar months, strictly.
        ("2026-09-21T12:00:00Z", "2026-11-21T12:00:00Z", nil),
        ("2026-09-21T11:59:59Z", "2026-11-21T12:00:00Z", .tooOld),
        // Two months before 30 April is the last day of February.
        ("2026-02-28T00:00:00Z", "2026-04-30T00:00:00Z", nil),
        ("2026-02-27T23:59:59Z", "2026-04-30T00:00:00Z", .tooOld),
        ("2025-12-31T23:59:59Z", "2026-03-01T00:00:00Z", .tooOld),
        ("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", nil),
        ("2026-11-21T14:00:00.5+02:00", "2026-11-21T12:00:01Z", nil),
        ("yesterday", "2026-11-21T12:00:00Z", .first),
        ("", "2026-11-21T12:00:00Z", .first),
    ])
    func sinceDatesAreUsedForTwoCalendarMonthsOfTheServersTime(
        since: String, server: String, reason: PullWay.Reason?
    ) throws {
        #expect(try SinceRule.reasonToList(since, serverTime: Self.date(server)) == reason)
    }

    @Test func aMissingSinceDateRequiresTheLists() {
        #expect(SinceRule.reasonToList(nil, serverTime: Date()) == .first)
    }

    @Test func theNextSinceDateIsTheAnswersDateMinusTheOverlap() throws {
        let next = SinceRule.next(
            date: try Self.date("2026-11-21T12:00:00Z"), latestChange: Timestamp("2026-11-21T11:59:00Z"),
            before: "2026-11-20T00:00:00Z")
        #expect(next == "2026-11-21T11:55:00.000Z")
    }

    @Test func theNextSinceDateIsNeverEarlierThanTheLast() throws {
        let next = SinceRule.next(
            date: try Self.date("2026-11-21T12:00:00Z"), latestChange: nil, before: "2026-11-21T11:58:00.5Z")
        #expect(next == "2026-11-21T11:58:00.500Z")
    }

    @Test func withoutADateInTheAnswerTheLatestChangeIsTheNextSinceDate() {
        let next = SinceRule.next(
            date: nil, latestChange: Timestamp("2026-11-21T11:59:00.1239Z"), before: "2026-11-20T00:00:00Z")
        #expect(next == "2026-11-21T11:59:00.123Z")
    }

    @Test func withoutADateOrANewerChangeTheSinceDateStays() {
        #expect(
            SinceRule.next(date: nil, latestChange: nil, before: "2026-11-20T00:00:00Z")
                == "2026-11-20T00:00:00Z")
        let older = Timestamp("2026-11-19T00:00:00Z")
        #expect(
            SinceRule.next(date: nil, latestChange: older, before: "2026-11-20T00:00:00Z")
                == "2026-11-20T00:00:00Z")
    }
}

@Suite("Whether a kind is updated by since requests or by its list")
struct PullWayTests {
    let now = Date(timeIntervalSince1970: 1_795_262_400)
    let record: SinceRecord

    init() {
        record = SinceRecord(
            since: now.addingTimeInterval(-3_600).formatted(.iso8601),
            auditedAt: now.addingTimeInterval(-86_400),
            formats: "standard")
    }

    private func way(
        _ record: SinceRecord?, isOffered: Bool = true, isNew: Bool = false, serverAhead: Double = 0,
        offsets: (now: Double, before: Double)? = nil,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) -> PullWay {
        var options = SyncOptions()
        change(&options)
        return PullWayChoice(
            isOffered: isOffered, options: options, isNewOrigin: isNew,
            serverTime: now.addingTimeInterval(serverAhead), now: now, offsets: offsets
        ).way(record)
    }

    @Test func changesAreRequestedIfNothingRequiresTheFullLists() {
        #expect(way(record) == .since(record.since ?? ""))
    }

    @Test func listsAreRequestedWhenChangesMayBeIncomplete() {
        #expect(way(record, isOffered: false) == .lists(.notSupported))
        #expect(way(record) { $0.full = true } == .lists(.forced))
        #expect(way(record) { $0.revalidateMedia = true } == .lists(.forced))
        #expect(way(record, isNew: true) == .lists(.newOrigin))
        #expect(way(nil) == .lists(.first))
        #expect(way(SinceRecord()) == .lists(.first))
        #expect(way(record, serverAhead: -7_200) == .lists(.ahead))
        #expect(way(record, serverAhead: 100 * 86_400) == .lists(.tooOld))
        #expect(way(record) { $0.formats = ["square"] } == .lists(.media))
    }

    /// Changes after the clock was set back have dates before the stored one.
    @Test(arguments: [(0.0, 0.0, true), (0, 200, true), (0, 300, false), (300, 0, true), (-86_400, 0, false)])
    func changesAreNotRequestedAfterTheServerClockWasSetBack(now: Double, before: Double, isRequested: Bool) {
        #expect(way(record, offsets: (now, before)).isSince == isRequested)
    }

    @Test func changesAreRequestedUntilAnAuditIsDue() {
        #expect(way(record) { $0.auditEvery = .seconds(86_401) }.isSince)
        #expect(way(record) { $0.auditEvery = .seconds(86_400) } == .lists(.audit))
        #expect(way(record) { $0.auditEvery = .zero } == .lists(.audit))
        var never = record
        never.auditedAt = nil
        #expect(way(never) == .lists(.audit))
        // An audit date in the future comes from a wrong clock.
        never.auditedAt = now.addingTimeInterval(1)
        #expect(way(never) == .lists(.audit))
    }

    @Test func aSyncWithoutMediaIgnoresTheFormatsOfEarlierSyncs() {
        #expect(way(record) { $0.media = false }.isSince)
    }

    @Test func aPullWithoutMediaMakesTheNextSyncWithMediaRequestTheLists() {
        var changes = PulledChanges(kind: .artwork, since: record.since ?? "", date: now)
        let empty = NextDate(kind: .artwork, stored: record, media: nil, now: now).after(changes, list: nil)
        #expect(empty?.record.formats == "standard")
        changes.deleted = ["a"]
        let some = NextDate(kind: .artwork, stored: record, media: nil, now: now).after(changes, list: nil)
        #expect(some?.record.formats == nil)
        let with = NextDate(kind: .artwork, stored: record, media: "standard", now: now).after(
            changes, list: nil)
        #expect(with?.record.formats == "standard")
        #expect(with?.record.auditedAt == record.auditedAt)
    }

    @Test func theNextSinceDateIsTheEndOfTheChangesThatTheServerStates() {
        let list = now.timeIntervalSince1970
        func next(_ end: Double) -> String? {
            NextDate(kind: .artwork, stored: nil, media: nil, now: now)
                .after(nil, list: list, end: Timestamp(seconds: Int(list + end)))?.record.since
        }
        #expect(next(-60) == Timestamp(seconds: Int(list) - 60).text)
        #expect(next(-3_600) == Timestamp(seconds: Int(list) - 300).text)
        #expect(next(0) == Timestamp(seconds: Int(list)).text)
        // An end after the server's own time is ignored.
        #expect(next(60) == Timestamp(seconds: Int(list) - 300).text)
    }

    @Test func theNextSinceDateIsNoLaterThanTheOldestCachedAnswer() {
        let list = now.timeIntervalSince1970,
            stamp = { (seconds: Double) in Timestamp(seconds: Int(list + seconds)).text }
        func next(oldest: Double?, _ pulled: PulledChanges? = nil) -> String? {
            NextDate(kind: .artwork, stored: nil, media: nil, now: now, oldest: oldest.map { list + $0 })
                .after(pulled, list: list, end: Timestamp(seconds: Int(list)))?.record.since
        }
        #expect(next(oldest: nil) == stamp(0))
        #expect(next(oldest: -60) == stamp(-360))
        #expect(next(oldest: 7_200) == stamp(0))
        let changes = PulledChanges(kind: .artwork, since: stamp(-100), date: now)
        #expect(next(oldest: nil, changes) == stamp(-100))
        #expect(next(oldest: -3_600, changes) == stamp(-3_900))
    }

    @Test func requestingTheListCountsAsAnAudit() {
        let next = NextDate(kind: .artwork, stored: nil, media: "standard", now: now)
            .after(nil, list: now.timeIntervalSince1970 + 60)
        #expect(next?.record.auditedAt == now)
        #expect(next?.record.since == Timestamp(seconds: Int(now.timeIntervalSince1970) - 240).text)
        #expect(NextDate(kind: .artwork, stored: record, media: nil, now: now).after(nil, list: nil) == nil)
    }
}
