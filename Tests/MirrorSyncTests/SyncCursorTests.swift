import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("The feed's cursor in a sync", .fewAtATime)
struct SyncCursorTests {
    private func cursor(_ mirror: TestMirror) throws -> String? {
        try mirror.read { try $0.loop(LoopRecord.coreID)?.cursor }
    }

    @Test func theFeedsCursorIsRequestedBeforeTheFirstListAndStoredAtTheEndOfASync() async throws {
        let partner = FakePartner.withEvents()
        // A change during the lists is reported by the feed later.
        partner.change { state in
            state.during["GET /partner/p/artworks?ids=1&size=all&validators=1"] = {
                partner.change { $0.tell("artworks", "a") }
            }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let requests = partner.takeRequests()
        let asked = try #require(requests.firstIndex(of: "GET /partner/p/events/latest"))
        let list = try #require(requests.firstIndex { $0.contains("validators=1") })
        #expect(asked < list)
        #expect(try cursor(mirror) == "L-0")
    }

    @Test func aSyncWithoutChangesTakesTenRequests() async throws {
        let partner = FakePartner.withEvents()
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.tell("artworks", "a") }
        _ = partner.takeRequests()
        let summary = try await mirror.sync()
        #expect(!summary.hasChanges && summary.requests.sent == 10)
        #expect(partner.takeRequests().count { $0 == "GET /me" } == 1)
        #expect(try cursor(mirror) == "L-1")
    }

    /// The new database's answers by date look like those of the old one. Only its feed doesn't know the cursor.
    @Test func aServerThatDoesNotKnowTheCursorIsSyncedByItsLists() async throws {
        let partner = FakePartner.withEvents()
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.feed.log = "M"
            state.artwork("a", title: "As it was before", artist: "x")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(!summary.ways.values.contains { $0 != .lists(.refresh) })
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "As it was before")
        #expect(try cursor(mirror) == "M-0")
        #expect(try await mirror.sync().ways[.artwork]?.isSince == true)
    }

    @Test func onlyKindsWhoseChangesTheFeedCannotReportAreListed() async throws {
        let partner = FakePartner.withEvents()
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.feed.refresh = 1 }
        let summary = try await mirror.sync()
        #expect(summary.ways[.artwork] == .lists(.refresh))
        #expect(summary.ways.count { $0.value.isSince } == 4)
    }

    @Test func aSyncStoresTheFeedsLatestCursorIfTheFeedHasSeveralPages() async throws {
        let partner = FakePartner.withEvents { $0.feed.pageSize = 1 }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.tell("artworks", "a")
            state.tell("artworks", "b")
        }
        try await mirror.sync()
        #expect(try cursor(mirror) == "L-2")
    }

    @Test func anIncompleteSyncDoesNotMoveTheCursor() async throws {
        let partner = FakePartner.withEvents()
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.tell("artworks", "a")
            state.artwork("broken")
            state.overrides["/artwork/broken"] = .text("{}", status: 500)
        }
        #expect(try await mirror.sync { $0.auditEvery = .zero }.outcome == .partial)
        #expect(try cursor(mirror) == "L-0")
    }

    @Test(arguments: [500, 404, 401])
    func aFailingFeedDoesNotMakeTheSyncIncomplete(_ status: Int) async throws {
        let partner = FakePartner.withEvents { state in
            state.overrides["/partner/p/events/latest"] = .text("{}", status: status)
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try cursor(mirror) == nil)
    }

    @Test func aDryRunStoresNoCursor() async throws {
        let partner = FakePartner.withEvents()
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.tell("artworks", "a") }
        _ = try await Sync(partner: "p", folder: mirror.mirror) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }.plan()
        #expect(try cursor(mirror) == "L-0")
    }
}

@Suite("An answer that several steps share", .fewAtATime)
struct SharedAnswerTests {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private static let answer = Fetched.body(Response(head: ResponseHead(status: 200)))

    @Test func anAnswerThatSeveralStepsUseIsRequestedOnce() async throws {
        let shared = SharedAnswer<Fetched>(), asked = Count()
        try await withThrowingTaskGroup(of: Fetched.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await shared.fetched {
                        asked.value.add(1, ordering: .relaxed)
                        await Task.yield()
                        return Self.answer
                    }
                }
            }
            for try await fetched in group { #expect(fetched == Self.answer) }
        }
        #expect(asked.value.load(ordering: .relaxed) == 1)
    }

    @Test func aSharedNotFoundIsKeptButATimeoutIsRequestedAgain() async throws {
        let shared = SharedAnswer<Fetched>()
        await #expect(throws: HTTPError.self) {
            try await shared.fetched { throw HTTPError(.timedOut, "too late") }
        }
        await #expect(throws: HTTPError.self) {
            try await shared.fetched { throw HTTPError(.notFound, "no such thing", status: 404) }
        }
        await #expect { try await shared.fetched { Self.answer } } throws: {
            ($0 as? HTTPError)?.status == 404
        }
    }

    @Test func aSharedAnswerThatIsNotJSONIsNotRequestedAgain() async throws {
        let shared = SharedAnswer<Fetched>()
        await #expect(throws: HTTPError.self) {
            try await shared.fetched { throw HTTPError(.notJSON, "a web page", status: 200) }
        }
        await #expect { try await shared.fetched { Self.answer } } throws: {
            ($0 as? HTTPError)?.code == .notJSON
        }
    }
}
