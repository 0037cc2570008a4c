import Catalogue
import Foundation
import GRDB
import MirrorTesting
import Testing

@testable import MirrorStore
@testable import MirrorSync

@Suite("A large snapshot that is loaded without some indexes", .limitedConcurrency) struct LargeSnapshotTests
{
    private let partner = FakePartner { state in
        state.extensions = ["validators", "snapshot"]
        state.hasListETags = true
        state.artist("x")
        for (id, slug, day) in [("a", "one", 1), ("b", "two", 1), ("c", "two", 3), ("d", "two", 2)] {
            state.put(
                .artwork, id,
                #"{"id":"\#(id)","title":"Work \#(id)","slug":"\#(slug)","updated_at":"2026-01-0\#(day)T00:00:00Z"}"#
            )
        }
    }

    private func rows(_ mirror: TestMirror, _ sql: String) throws -> [String] {
        try mirror.read { try $0.read { try String.fetchAll($0, sql: sql) } }
    }

    /// The existing indexes of names, slugs and artists' artworks.
    private func indexes(_ mirror: TestMirror) throws -> [String] {
        try rows(
            mirror,
            """
            SELECT name FROM sqlite_schema WHERE type = 'index' AND (name = 'artwork_of_artist'
              OR tbl_name IN ('artwork', 'artist') AND (name LIKE '%slug' OR name LIKE '%title' OR name LIKE '%name'))
            ORDER BY name
            """)
    }

    private static let all = [
        "artist_name", "artist_slug", "artwork_of_artist", "artwork_slug", "artwork_title",
    ]

    /// The artworks with their slugs and refetch marks, then the rivals with the slugs that they lost.
    private func slugs(_ mirror: TestMirror) throws -> [String] {
        try rows(mirror, "SELECT id || ' ' || coalesce(slug, '-') || ' ' || refetch FROM artwork ORDER BY id")
            + rows(mirror, "SELECT id || ' ' || slug || ' ' || settled FROM rival ORDER BY id")
    }

    @Test(arguments: [0, 20_000])
    func loadingASnapshotCreatesTheIndexesAndSettlesSlugs(maximumLinesWithIndexes: Int) async throws {
        partner.offer(partner.snapshot())
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync {
            ($0.media, $0.maximumLinesWithIndexes) = (false, maximumLinesWithIndexes)
        }
        #expect(summary.outcome == .complete)
        #expect(try indexes(mirror) == Self.all)
        let slugs = try slugs(mirror)
        #expect(slugs.prefix(4) == ["a one 0", "b - 0", "c two 0", "d - 0"])
        #expect(slugs.count == 6 && slugs[4].hasPrefix("b two ") && slugs[5].hasPrefix("d two "))
        // An artwork that lost its slug was requested again, but only in this sync.
        #expect(
            partner.takeRequests().filter { $0.contains("/artwork/") }.sorted() == [
                "GET /artwork/b", "GET /artwork/d",
            ])
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(partner.takeRequests().allSatisfy { !$0.contains("/artwork/") })
    }

    private static let rest = "/partner/p/snapshot?after=%2Fartwork%2Fc&event_id=e1"

    /// A mirror whose first sync was stopped after it had loaded the artworks `a` to `c`.
    ///
    /// - Parameter sql: executed before the sync.
    private func stoppedLoad(beforeThat sql: String = "") async throws -> TestMirror {
        let lines = partner.snapshot()
        let place = try #require(lines.firstIndex { $0.contains("\"/artwork/c\"") })
        partner.offer(Array(lines.prefix(place + 1)), once: true)
        let mirror = try TestMirror(partner)
        try FileManager.default.createDirectory(
            atPath: mirror.mirror.path, withIntermediateDirectories: true)
        let store = try CatalogueStore.open(at: mirror.mirror.database)
        try store.bulkLoad.read { try $0.execute(sql: sql) }
        try store.close()
        let task = Task { [partner] in
            partner.change { state in
                state.overrides[Self.rest] = .failure(.connectionLost)
                state.during["GET \(Self.rest)"] = { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return try await mirror.sync { ($0.media, $0.maximumLinesWithIndexes) = (false, 0) }
        }
        _ = try? await task.value
        partner.change { ($0.during, $0.overrides) = ([:], [:]) }
        #expect(try mirror.read { try $0.loadPosition()?.url } == "/artwork/c")
        return mirror
    }

    /// Expects that the next run requests the rest of the snapshot, and completes the load.
    private func expectTheLoadToResume(_ mirror: TestMirror) async throws {
        partner.offer(partner.snapshot(after: "/artwork/c"), at: Self.rest)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try indexes(mirror) == Self.all)
        #expect(try slugs(mirror).prefix(4) == ["a one 0", "b - 0", "c two 0", "d - 0"])
    }

    /// The second argument is the note by which an earlier version recorded that the indexes were dropped.
    @Test(arguments: ["", "INSERT INTO meta (key, value) VALUES ('names_left_out', '1')"])
    func aStoppedLoadLeavesIndexesOutUntilItResumes(beforeThat sql: String) async throws {
        let mirror = try await stoppedLoad(beforeThat: sql)
        #expect(try indexes(mirror).isEmpty)
        try await expectTheLoadToResume(mirror)
    }

    /// Slugs that several objects claim are settled, whether or not the indexes were created in between.
    @Test(arguments: [[], DeferredIndexes.definitions])
    func aStoppedLoadThatIsGivenUpCreatesTheIndexes(inBetween statements: [String]) async throws {
        let mirror = try await stoppedLoad()
        try mirror.read { store in
            try store.bulkLoad.read { db in for sql in statements { try db.execute(sql: sql) } }
        }
        partner.change { $0.extensions = ["validators"] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try indexes(mirror) == Self.all)
        // The artworks that lost a slug are requested again in this sync or in the next, so their marks aren't compared.
        #expect(
            try slugs(mirror).prefix(4).map { String($0.dropLast(2)) } == ["a one", "b -", "c two", "d -"])
    }

    /// Missing indexes are no damage during a load, and a repair doesn't create them.
    @Test func aStoppedLoadResumesAfterTheDatabaseWasCheckedAndRepaired() async throws {
        let mirror = try await stoppedLoad()
        try mirror.read { store in
            try store.check(.integrity) { Issue.record("\($0)") }
            _ = try store.repair()
        }
        #expect(try indexes(mirror).isEmpty)
        try await expectTheLoadToResume(mirror)
    }

    /// Rivals whose slugs contain NUL characters are settled, too.
    @Test func loadingASnapshotSettlesTheRivalsOfSeveralSlugs() async throws {
        partner.change { state in
            for (id, slug) in [
                ("e", #"\u0000"#), ("f", #"\u0000"#), ("g", #"two\u0000x"#), ("h", #"two\u0000x"#),
                ("i", "zwei"),
                ("j", "zwei"),
            ] { state.put(.artwork, id, #"{"id":"\#(id)","title":"Work","slug":"\#(slug)"}"#) }
        }
        partner.offer(partner.snapshot())
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync { ($0.media, $0.maximumLinesWithIndexes) = (false, 0) }
        #expect(summary.outcome == .complete)
        let slugs = try slugs(mirror)
        #expect(["b - 0", "c two 0", "d - 0", "i zwei 0", "j - 0"].allSatisfy(slugs.contains), "\(slugs)")
    }

    @Test func aSlugFindsTheLaterOfTwoArtworksWhileALoadIsStopped() async throws {
        let mirror = try await stoppedLoad()
        #expect(try mirror.read { try $0.find(.artwork, "two")?.summary.id } == "c")
    }

    @Test func indexesAreKeptIfTheTableAlreadyHasRows() async throws {
        let mirror = try await stoppedLoad(beforeThat: "INSERT INTO artwork (id, ghost) VALUES ('z', 1)")
        #expect(try indexes(mirror) == Self.all)
    }
}
