import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A dry run", .limitedConcurrency) struct PlanTests {
    let partner = FakePartner { state in
        state.extensions = ["validators"]
        state.hasListETags = true
        state.artist("x")
        state.artwork("a", artist: "x", image: "i")
        state.artwork("b", artist: "x")
        state.artwork("c", artist: "x")
        state.album("m", ["b", "a"])
        state.show("s", ["a"])
        state.files["/artwork/a/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    }

    @Test func aDryRunBeforeTheFirstSyncMakesNoFolderAndReportsEveryObject() async throws {
        let mirror = try TestMirror(partner)
        let plan = try await mirror.plan()
        #expect(try !FileManager.default.fileExists(atPath: mirror.mirror.path))
        #expect(plan.summary.outcome == .complete, "\(plan.summary.problems)")
        #expect(partner.writes.isEmpty)
        #expect(plan.summary.plan?.hasChanges == true)
        let sync = try await mirror.observed()
        #expect(plan.objects == sync.objects)
        #expect(sync.items.contains("image i fetched"))
    }

    /// An app makes many runs in one process, and each has an open database and its report.
    @Test(arguments: [true, false]) func aRunReleasesItsSessionWhenItEnds(isDry: Bool) async throws {
        let mirror = try TestMirror(partner), partner = partner
        let sessions = Mutex<[WeakSession]>([])
        var options = SyncOptions()
        options.synchronous = true
        let sync = Sync(
            partner: "p", folder: try mirror.mirror, base: "http://origin.test/api/v1", options: options
        ) { base, cache in
            let session = try InterceptableSession(
                base: base, transport: partner.transport(base: base), cache: cache)
            sessions.withLock { $0.append(WeakSession(session: session)) }
            return session
        }
        _ = isDry ? try await sync.plan() : try await sync.run()
        #expect(sessions.withLock { $0.map { $0.session == nil } } == [true])
    }

    /// Otherwise the snapshot is unusable, and no more of it is read.
    @Test func aDryRunPredictsASnapshotOnlyIfItBeginsWithItsHead() async throws {
        func requests() async throws -> Double {
            let plan = try await TestMirror(partner).plan { $0.media = false }.summary.plan
            return try #require(plan).requests.value
        }
        let byLists = try await requests()
        partner.change { $0.extensions.append("snapshot") }
        partner.offer(Array(partner.snapshot().dropFirst()) + [partner.snapshot()[0]])
        // The sync requests the snapshot nevertheless.
        #expect(try await requests() == byLists + 1)
        partner.offer(partner.snapshot())
        #expect(try await requests() < byLists)
    }

    @Test func aDryRunChangesNoFileAndSendsNoWrite() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.artwork("b", title: "Renamed", artist: "x")
            state.artwork("d")
            state.remove(.artwork, "c")
            state.album("m", ["d", "b"])
        }
        let before = try mirror.files(), writes = partner.writes
        _ = partner.takeRequests()
        let plan = try await mirror.plan()
        #expect(try mirror.files() == before)
        #expect(partner.writes == writes)
        let requests = partner.takeRequests()
        #expect(requests.count <= 14, "\(requests)")
        #expect(
            plan.items == ["artwork b updated", "artwork c deleted", "artwork d created", "album m updated"])
        #expect(
            plan.summary.objects["artwork"]
                == SyncSummary.Count(listed: 3, created: 1, updated: 1, unchanged: 1, deleted: 1))
        let sync = try await mirror.observed()
        #expect(plan.objects == sync.objects)
        for (kind, count) in sync.summary.objects where kind != "image" {
            #expect(plan.summary.objects[kind] == count, "\(kind)")
        }
    }

    @Test func aDryRunOfAnUnchangedMirrorPredictsNoChange() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let plan = try await mirror.plan()
        let result = try #require(plan.summary.plan)
        #expect(plan.items.isEmpty)
        #expect(result.isExact && !result.hasChanges && result.updated.isEmpty)
        #expect(result.media == .zero)
        let sync = try await mirror.sync()
        #expect(result.requests.rounded == sync.requests.sent)
    }

    @Test func withoutValidatorsADryRunSamplesFiftyObjectsOfAKindAndStatesAMargin() async throws {
        partner.change { state in
            state.extensions = []
            for number in 0..<200 { state.artwork("w\(number)") }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            for number in 0..<100 { state.artwork("w\(number)", title: "New title") }
            state.artwork("new")
            state.remove(.artwork, "c")
        }
        _ = partner.takeRequests()
        let plan = try await mirror.plan { $0.media = false }
        let sampled = partner.takeRequests().filter { $0.hasPrefix("GET /artwork/") }
        #expect(sampled.count == 50)
        let result = try #require(plan.summary.plan), updated = try #require(result.updated["artwork"])
        #expect(!result.isExact)
        #expect(updated.sampled == 50 && updated.margin > 5)
        #expect(abs(updated.value - 100) <= updated.margin)
        #expect(plan.items.contains("artwork new created") && plan.items.contains("artwork c deleted"))
        // A sync requests each of them; the plan predicts that number.
        let sync = try await mirror.sync { $0.media = false }
        #expect(result.requests.rounded == sync.requests.sent)
    }

    @Test func aDryRunIsExactIfItCanRequestAllObjects() async throws {
        partner.change { $0.extensions = [] }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.artwork("b", title: "Renamed") }
        let plan = try await mirror.plan()
        #expect(plan.items == ["artwork b updated"])
        #expect(plan.summary.plan?.updated["artwork"] == Estimate(1, sampled: 3))
    }

    @Test func aDryRunPredictsThatTheDeleteGuardWillStopTheDeletions() async throws {
        partner.change { state in for number in 0..<30 { state.artwork("w\(number)") } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in for number in 0..<20 { state.remove(.artwork, "w\(number)") } }
        let plan = try await mirror.plan()
        #expect(plan.summary.outcome == .complete)
        #expect(plan.summary.plan?.guarded.map(\.deletions) == [20])
        #expect(plan.summary.plan?.hasChanges == true)
        #expect(plan.items.isEmpty)
        #expect(try await mirror.sync().outcome == .guarded)
        let allowed = try await mirror.plan { $0.maxDelete = .total(20) }
        #expect(allowed.items.count == 20 && allowed.summary.plan?.guarded == [])
    }

    @Test func aDryRunIsNotExactWhileLocalEditsWait() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let id = try mirror.read { try AlbumEditor($0).create(AlbumChange(name: "New")) }
        let result = try #require(try await mirror.plan().summary.plan)
        #expect(result.hasChanges && !result.isExact)
        try mirror.read { _ = try AlbumEditor($0).delete(id) }
        #expect(try await mirror.plan().summary.plan?.isExact == true)
    }

    @Test func aDryRunReportsAFailedListAndPredictsTheOtherKinds() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove(.artwork, "c")
            state.artist("y")
            state.overrides["/partner/p/artworks?ids=1&size=all&validators=1"] = .text("no", status: 500)
        }
        let plan = try await mirror.plan()
        #expect(plan.summary.outcome == .partial)
        #expect(plan.items == ["artist y created"])
        #expect(plan.summary.plan?.isExact == false)
    }

    @Test(arguments: [403, 500]) func aDryRunReportsTheSameFailuresAsTheSync(status: Int) async throws {
        partner.change { $0.extensions = [] }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.overrides["/artwork/a"] = .text("{}", status: status)
            state.overrides["/artwork/b"] = .text(#"{"id":"b","title":"cu"#)
            state.overrides["/partner/p/show/s/artworks?ids=1&size=all"] = .text("no", status: status)
        }
        func failures(_ summary: SyncSummary) -> Set<String> {
            Set(summary.problems.map { "\($0.what) \($0.kind ?? "") \($0.id ?? "")" })
        }
        let plan = try await mirror.plan().summary, sync = try await mirror.sync()
        #expect(plan.outcome == .partial && sync.outcome == .partial)
        #expect(plan.objects["artwork"]?.failed == 2)
        #expect(plan.objects["artwork"] == sync.objects["artwork"])
        #expect(failures(plan) == failures(sync))
        #expect(plan.plan?.isExact == false)
    }

    @Test func aDryRunFailsIfTheServerHasNoSuchPartner() async throws {
        partner.change { $0.overrides["/partner/p/all"] = .text("{}", status: 404) }
        let mirror = try TestMirror(partner)
        let plan = try await mirror.plan()
        #expect(plan.summary.outcome == .failed && plan.summary.plan == nil)
        #expect(try !FileManager.default.fileExists(atPath: mirror.mirror.path))
    }

    @Test func aDryRunCountsMissingPicturesAndDoesNotFetchThem() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        _ = partner.takeRequests()
        let plan = try await mirror.plan()
        #expect(plan.items == ["image i fetched"])
        let requests = partner.takeRequests()
        #expect(!requests.contains { $0.hasPrefix("GET") && $0.contains("larger.jpg") })
        #expect(requests.contains { $0.hasPrefix("HEAD") && $0.contains("larger.jpg") })
    }

    @Test func aDryRunCountsEditedAlbumsAsChangesAndDoesNotPushThem() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read { store in
            try store.createAlbum(StepFixture.album("mine", name: "Mine"), key: "key")
            #expect(try store.deleteAlbum("m"))
        }
        let writes = partner.writes, before = try mirror.files()
        let plan = try await mirror.plan()
        #expect(partner.writes == writes)
        #expect(try mirror.files() == before)
        #expect(plan.summary.plan?.hasChanges == true)
    }

    @Test func aDryRunReadsAMirrorWithAnOlderSchemaFromACopy() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read {
            try $0.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 0") }
        }
        partner.change { $0.artwork("b", title: "Renamed", artist: "x") }
        let before = try mirror.files()
        let plan = try await mirror.plan()
        #expect(plan.items == ["artwork b updated"])
        #expect(try mirror.files() == before)
    }

    @Test func aDryRunRemovesTheWALAndSHMFilesThatItMade() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        for name in ["-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: mirror.mirror.database + name)
        }
        let before = try mirror.files()
        #expect(try await mirror.plan().items.isEmpty)
        #expect(try mirror.files() == before)
        #expect(try !FileManager.default.fileExists(atPath: mirror.mirror.database + "-shm"))
    }

    @Test func aDryRunIsPossibleDuringASync() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let lock = try RunLock(mirror.mirror)
        #expect(try await mirror.plan().summary.outcome == .complete)
        withExtendedLifetime(lock) {}
    }

    @Test func aDryRunComparesAnotherServerWithTheStoredObjects() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.artwork("b", title: "Renamed", artist: "x") }
        let before = try mirror.files()
        let plan = try await mirror.plan(base: "http://other.test/api/v1", isNewOrigin: true)
        #expect(try mirror.files() == before)
        #expect(plan.items == ["artwork b updated"])
    }
}

extension TestMirror {
    /// A run's summary, and the items that it reported, such as `artwork a created`.
    struct Observed {
        let summary: SyncSummary
        let items: Set<String>

        /// Without pictures and documents.
        var objects: Set<String> { items.filter { !$0.hasPrefix("image") && !$0.hasPrefix("document") } }
    }

    func plan(
        base: String? = "http://origin.test/api/v1", isNewOrigin: Bool = false,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> Observed {
        try await observed(base: base, isNewOrigin: isNewOrigin, change) { try await $0.plan($1) }
    }

    func observed(
        base: String? = "http://origin.test/api/v1", isNewOrigin: Bool = false,
        _ change: (inout SyncOptions) -> Void = { _ in },
        _ run: (Sync, SyncMonitor) async throws -> SyncSummary = { try await $0.run($1) }
    ) async throws -> Observed {
        var options = SyncOptions()
        options.synchronous = true
        change(&options)
        let partner = partner
        let seen = SeenItems()
        let sync = try Sync(
            partner: "p", folder: mirror, base: base, isNewOrigin: isNewOrigin, options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }
        return Observed(summary: try await run(sync, seen.monitor), items: seen.items)
    }

    /// Every file of the mirror with its bytes.
    func files() throws -> [String: Data] {
        let path = try mirror.path
        var files: [String: Data] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            files[name] = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
        }
        // SQLite's shared memory changes whenever the database is read.
        return files.filter { !$0.key.hasSuffix("-shm") }
    }
}

/// Records the items that a run reports to its monitor.
final class SeenItems: Sendable {
    private let seen = Mutex<Set<String>>([])

    var items: Set<String> { seen.withLock { $0 } }

    var monitor: SyncMonitor {
        SyncMonitor { [self] event in
            guard case .item(let kind, let id, let action, _) = event else { return }
            seen.withLock { _ = $0.insert("\(kind) \(id) \(action)") }
        }
    }
}

private struct WeakSession {
    weak var session: InterceptableSession?
}
