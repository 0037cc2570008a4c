import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Dry runs of museums predict the following sync", .limitedConcurrency) struct MuseumPlanTests {
    typealias Museum = ImitatedMuseum.Name

    /// Runs a dry run and then a sync with the same options, and compares what they report.
    ///
    /// - Returns: the plan, and the number of requests that the dry run sent.
    @discardableResult
    private func both(
        _ museum: MuseumMirror, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> (plan: SyncPlan, sent: Int) {
        let before = try museum.mirror.files()
        let predicted = try await museum.mirror.plan(change), plan = try #require(predicted.plan)
        #expect(try museum.mirror.files() == before, "a dry run writes nothing")
        #expect(predicted.outcome == .complete, "\(predicted.problems)")
        let done = try await museum.sync(change)
        #expect(done.outcome == .complete, "\(done.problems)")
        #expect(plan.isExact)
        #expect(plan.hasChanges == done.hasChanges)
        #expect(plan.requests.rounded == done.requests.sent)
        #expect(predicted.objects == done.objects)
        return (plan, predicted.requests.sent)
    }

    @Test(arguments: MuseumMirror.museums)
    func `a first copy is predicted`(name: Museum) async throws {
        let museum = try MuseumMirror(name)
        let (plan, _) = try await both(museum)
        #expect(plan.hasChanges)
    }

    @Test(arguments: MuseumMirror.museums)
    func `a first copy without pictures is predicted`(name: Museum) async throws {
        try await both(try MuseumMirror(name)) { $0.media = false }
    }

    @Test(arguments: MuseumMirror.museums)
    func `a dry run asks for what its museum has, and for nothing of the Partner API`(name: Museum)
        async throws
    {
        let museum = try MuseumMirror(name)
        _ = try await museum.mirror.plan()
        let (api, _) = museum.requests()
        #expect(api.count == museum.listPaths.count + museum.ownRequests(api), "\(api)")
        #expect(!FileManager.default.fileExists(atPath: try museum.mirror.mirror.path))
    }

    @Test(arguments: MuseumMirror.museums)
    func `an unchanged museum is predicted, and a dry run of it sends the requests of the sync`(name: Museum)
        async throws
    {
        let museum = try await MuseumMirror.synced(name)
        let (plan, sent) = try await both(museum)
        #expect(!plan.hasChanges && sent == plan.requests.rounded)
    }

    @Test(arguments: MuseumMirror.museums)
    func `changes are predicted, with artists and rooms that nothing names any more`(name: Museum)
        async throws
    {
        var museum = try MuseumMirror(name)
        try await museum.sync { $0.media = false }
        museum.mirror.pass(days: 1)
        var title = try museum.work("1"), artist = try museum.work("6"), room = try museum.work("4")
        title.title = "A Better Chair"
        // The only work of Bo Carver, and the only one in Room 2.
        artist.artists = ["11"]
        room.room = "21"
        for work in [title, artist, room] { museum.put(work) }
        museum.put(MuseumCatalogue.Work(id: "7", title: "New", artists: ["12"], room: "21"))
        museum.mirror.pass(hours: 1)
        let (plan, _) = try await both(museum) { $0.media = false }
        #expect(plan.hasChanges)
        #expect(try museum.contents() == museum.expected(media: false))
    }

    @Test(arguments: MuseumMirror.museums)
    func `the removal of a work is predicted on the day when it is due`(name: Museum) async throws {
        var museum = try MuseumMirror(name)
        try await museum.sync()
        museum.mirror.pass(hours: 1)
        museum.remove("6")
        for day in 0...2 {
            let (plan, _) = try await both(museum)
            #expect(plan.hasChanges == (day == 2), "day \(day)")
            museum.mirror.pass(days: 1, hours: 1)
        }
        #expect(try museum.contents() == museum.expected())
    }

    @Test func `a large first copy by single requests is estimated from a few works`() async throws {
        let museum = try MuseumMirror(.met, .plain(120))
        let summary = try await museum.mirror.plan(), plan = try #require(summary.plan)
        #expect(!plan.isExact && plan.requests.rounded == 121)
        // One request a second allows 20 samples in 20 seconds.
        #expect(summary.requests.sent == 21)
        #expect(plan.forecast.median >= 120 && plan.forecast.median < 150)
        #expect(plan.days == 1 && plan.object["days"] == nil)
    }

    @Test func `a list that can't be read is reported by its own URL`() async throws {
        let museum = try MuseumMirror(.met)
        let summary = try await museum.mirror.sync(
            base: "https://collectionapi.metmuseum.org/public/other/v1")
        let problem = try #require(summary.problems.first { $0.what == "list" })
        #expect(problem.id == "/objects", "\(problem)")
    }
}

/// The duration that a source's limits impose.
@Suite struct RateLimitsTests {
    private static func limits(
        _ requests: Double?, perDay: Int? = nil, used: Int = 0, ownFiles: Double = 0
    ) -> RateLimits {
        var rate = RequestRate()
        (rate.requests, rate.perDay) = (requests, perDay)
        return RateLimits(rate, today: 20_000, counted: (20_000, used), ownFiles: ownFiles)
    }

    private static let short = Forecast(median: 2, p90: 4)

    @Test(arguments: [
        // Requests of objects and files go to different hosts, which have a rate of their own each.
        (limits(1), 101.0, 0.0, 100.0), (limits(1), 151, 50, 100), (limits(1), 151, 100, 99),
        (limits(1, ownFiles: 1), 151, 100, 150), (limits(20), 201, 0, 10), (limits(nil), 10_000, 0, 2),
    ])
    func `a forecast isn't shorter than the rate allows`(
        limits: RateLimits, requests: Double, files: Double, seconds: Double
    ) {
        let forecast = limits.applied(
            to: Self.short, of: Forecast.Work(requests: requests, bytes: 0, files: files))
        #expect(forecast.median == seconds)
        #expect(forecast.p90 >= forecast.median)
    }

    @Test(arguments: [
        (limits(nil, perDay: 100), 100.0, 1), (limits(nil, perDay: 100), 101, 2),
        (limits(nil, perDay: 100, used: 100), 1, 2), (limits(nil, perDay: 100, used: 60), 240, 3),
        (limits(nil, perDay: 80_000), 498_000, 7), (limits(1), 1e9, 1),
    ])
    func `the days of a sync depend on what is left of today's budget`(
        limits: RateLimits, requests: Double, days: Int
    ) {
        let work = Forecast.Work(requests: requests, bytes: 0)
        #expect(limits.days(for: work) == days)
        #expect(limits.applied(to: Self.short, of: work).median >= Double(days - 1) * 86_400)
    }

    @Test func `requests of an earlier day don't count`() {
        var rate = RequestRate()
        rate.perDay = 10
        let limits = RateLimits(rate, today: 20_001, counted: (20_000, 10), ownFiles: 0)
        #expect(limits.days(for: Forecast.Work(requests: 10, bytes: 0)) == 1)
    }
}
