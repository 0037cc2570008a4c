import Catalogue
import GRDB
import MirrorHTTP
import MirrorServer
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Comparing a mirror's digest with a server's", .serialized) struct DigestLiveTests {
    private static func catalogue(_ titles: [String: String], album: [String]) -> CatalogueFiles {
        let artworks = titles.sorted { $0.key < $1.key }.map { id, title in
            #"{"id":"\#(id)","title":"\#(title)","artist_ids":["x"],"images":[]}"#
        }
        let members = album.map { "\"\($0)\"" }.joined(separator: ",")
        return .embedded([
            "partner.json": #"{"id":"p","name":"P"}"#, "artworks.jsonl": artworks.joined(separator: "\n"),
            "albums.jsonl": #"{"id":"m","name":"M","artwork_ids":[\#(members)]}"#,
            "artists.jsonl": #"{"id":"x","name":"X"}"#, "shows.jsonl": "", "locations.jsonl": "",
        ])
    }

    private static let titles = Dictionary(uniqueKeysWithValues: (0..<200).map { ("w\($0)", "Title \($0)") })

    private func root(_ home: LiveMirror) throws -> DigestTrie.Summary {
        let store = try home.mirror("p").store()
        defer { try? store.close() }
        return try store.digest(.root, from: OriginLeaves(Router(partner: "p"))).summary
    }

    /// The ETags of all canonical URLs of a server, found without its digest.
    private static func etags(_ session: InterceptableSession, _ router: Router) async throws -> [String:
        String]
    {
        func head(_ url: String) async throws -> (etag: String?, ids: [String])? {
            do {
                let fetched = try await session.send(PlainFetch(url: url))
                guard case .body(let response) = fetched else { return nil }
                let ids = try? JSONValue(parsing: response.body).arrayValue?.compactMap(\.stringValue)
                return (response.etag, ids ?? [])
            } catch let error as HTTPError where error.isNotSupported {
                return nil
            }
        }
        var resources: [CanonicalResource] = [.object(.partner, id: "p"), .object(.user, id: "me")],
            documents: [(String, String)] = []
        for kind in Kinds.standard.listed {
            for id in try await head(router.list(kind).canonicalURL)?.ids ?? [] {
                resources.append(.object(kind, id: id))
                resources += kind.lists.map { .list(Owner(kind, id), $0) }
            }
        }
        var etags: [String: String] = [:]
        for resource in resources {
            guard let url = router.url(of: resource), let answer = try await head(url) else { continue }
            etags[url] = answer.etag
            guard case .list(let owner, .documents) = resource else { continue }
            documents += answer.ids.compactMap { id in
                router.url(of: .document(owner, id: id)).map { ($0, id) }
            }
        }
        for (url, _) in documents { etags[url] = try await head(url)?.etag }
        return etags
    }

    private struct PlainFetch: DataOperation {
        typealias Output = Fetched
        let url: String
        var cache: Request.CacheUse { .bypass }
        var knownETag: String? { nil }
        var endpoint: Request.Target { .relative(url) }
    }

    private func session(_ port: Int, _ name: String) throws -> InterceptableSession {
        try InterceptableSession(
            base: "http://127.0.0.1:\(port)/\(name)/api/v1",
            transport: CurlTransport(.init(addresses: .testing)), cache: nil,
            interceptors: .standard())
    }

    @Test func equalMirrorsAreVerifiedInOneDigestRequest() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue(Self.titles, album: ["w1"]), as: "p")
        try await origin.serving { port in
            try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            let (summary, findings) = try await mirror.verify("p", from: "p", port: port)
            #expect(findings == [] && summary.outcome == .complete)
            var expected = VerifySummary.Comparison()
            (expected.isExact, expected.isByDigest) = (true, true)
            (expected.objects, expected.requests) = (205, 1)
            #expect(summary.comparison == expected)
            let etags = try await Self.etags(session(port, "p"), Router(partner: "p"))
            #expect(etags.count == 205)
            #expect(try root(mirror).hash.hexadecimal == NaiveDigest.hash(of: etags))
        }
    }

    @Test func objectsThatDifferInTheDigestAreFoundAndFetchedAgain() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue(Self.titles, album: ["w1"]), as: "p")
        _ = try await origin.serving { port in
            try await mirror.sync("p", from: "p", port: port) { $0.media = false }
        }
        var titles = Self.titles
        (titles["w7"], titles["w8"], titles["new"]) = ("Other", nil, "New")
        try await origin.importing(Self.catalogue(titles, album: ["w1", "w2"]), as: "p")
        try await origin.serving { port in
            let (summary, findings) = try await mirror.verify("p", from: "p", port: port)
            #expect(
                findings == ["new artwork new", "changed artwork w7", "gone artwork w8", "changed album m"])
            #expect(summary.outcome == .findings && summary.comparison?.requests ?? 99 <= 2 + 4 * 2)
            let (repair, _) = try await mirror.verify("p", from: "p", port: port, repair: true)
            #expect(repair.outcome == .repaired && repair.remaining.isEmpty, "\(repair.remaining)")
            #expect(try await mirror.verify("p", from: "p", port: port).summary.comparison?.requests == 1)
        }
    }

    @Test func damagedObjectsAreFoundByTheDigestAndFetchedAgain() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue(Self.titles, album: ["w1"]), as: "p")
        try await origin.serving { port in
            try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            let store = try mirror.mirror("p").store()
            try await store.pool.write { db in
                try db.execute(sql: "UPDATE artwork SET etag = '\"lost\"' WHERE id = 'w3'")
                // Only marked for refetching, as an object that lost its slug: it equals the server's version.
                try db.execute(sql: "UPDATE artwork SET refetch = 1 WHERE id = 'w4'")
                try db.execute(sql: "UPDATE artwork SET etag = NULL, refetch = 1 WHERE id = 'w5'")
            }
            try store.close()
            let (summary, findings) = try await mirror.verify("p", from: "p", port: port, repair: true)
            #expect(findings == ["changed artwork w3", "changed artwork w5"])
            #expect(summary.outcome == .repaired, "\(summary.failure ?? "")")
        }
    }

    @Test func aReadOnlyMirrorIsVerifiedByItsLists() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue(Self.titles, album: ["w1"]), as: "p")
        try await origin.serving { port in
            try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            let folder = try mirror.mirror("p")
            let sync = Sync(partner: "p", folder: folder, base: "http://127.0.0.1:\(port)/p") { base, cache in
                try InterceptableSession(
                    base: base, transport: CurlTransport(.init(addresses: .testing)), cache: cache,
                    interceptors: .standard())
            }
            let store = try CatalogueStore.open(at: folder.database, readOnly: true)
            defer { try? store.close() }
            let tally = FindingTally { _ in }
            let comparison = try await RemoteComparison(
                sync: sync, store: store, monitor: VerifyMonitor(), tally: tally
            ).run()
            #expect(tally.counts.isEmpty && comparison.isExact && !comparison.isByDigest)
            #expect(comparison.reasonForLists?.contains("can't be written") == true)
        }
    }

    @Test func aServerWithTooManyDigestDifferencesIsVerifiedByItsLists() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue([:], album: []), as: "p")
        _ = try await origin.serving { try await mirror.sync("p", from: "p", port: $0) { $0.media = false } }
        try await origin.importing(Self.catalogue(Self.titles, album: []), as: "p")
        try await origin.serving { port in
            let session = try session(port, "p")
            let store = try mirror.mirror("p").store()
            let report = SyncReport()
            let environment = SyncEnvironment(
                partner: "p", store: store, files: try mirror.mirror("p").files,
                sender: session,
                applier: Applier(store: store, run: 0, report: report, now: { .now }), report: report,
                options: SyncOptions(), run: 0, now: { .now })
            let comparison = DigestComparison(
                environment: environment, router: Router(partner: "p"), limit: 9)
            guard case .useless("The server differs in too much for its digest") = try await comparison.run()
            else {
                return #expect(Bool(false))
            }
            #expect(session.statistics.sent == 1)
            try store.close()
        }
    }

    /// The Partner API allows it. `mirror serve` leaves these lists out, and other servers may too.
    @Test func aServersDigestMayIncludeThePartnersOwnLists() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        let store = try mirror.mirror.store()
        defer { try? store.close() }
        _ = try store.digest(.root, from: OriginLeaves(Router(partner: "p")))
        let held = try store.digestLeaves(.root, .origin)
        let fixture = try StepFixture()
        let environment = SyncEnvironment(
            partner: "p", store: store, files: try mirror.mirror.files,
            sender: fixture.environment.session,
            applier: fixture.environment.applier, report: SyncReport(), options: SyncOptions(), run: 0,
            now: { .now })
        func compared(_ more: [DigestLeaf]) async throws -> DigestComparison.Result? {
            let leaves = (held + more).sorted { $0.key.lexicographicallyPrecedes($1.key) }
            let listed = leaves.map { leaf in
                "{\"url\":\"\(leaf.url)\",\"etag\":\"\(leaf.etag.replacing("\"", with: "\\\""))\"}"
            }
            let hash = DigestTrie.summary(of: leaves, under: .root).hash.hexadecimal
            fixture.transport.always(
                "GET", "/partner/p/digest?prefix=",
                .text("{\"prefix\":\"\",\"hash\":\"\(hash)\",\"leaves\":[\(listed.joined(separator: ","))]}"))
            let comparison = DigestComparison(
                environment: environment, router: Router(partner: "p"), limit: 9)
            guard case .compared(let result) = try await comparison.run() else { return nil }
            return result
        }
        let own = DigestLeaf(url: "/partner/p/artworks?ids=1&size=all", etag: "\"list\"")
        let strange = DigestLeaf(url: "/partner/p/artworks?ids=1", etag: "\"list\"")
        #expect(held.count < 15)
        #expect(try await compared([])?.isEqual == true)
        #expect(try await compared([own])?.isEqual == true)
        #expect(try await compared([own, strange])?.differences.map(\.url) == [strange.url])
    }

    // MARK: - The audit of a sync

    @Test func anAuditOfEqualMirrorsTakesOneFurtherRequest() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue(Self.titles, album: ["w1"]), as: "p")
        try await origin.serving { port in
            try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            let pull = try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            let audit = try await mirror.sync("p", from: "p", port: port) {
                ($0.media, $0.auditEvery) = (false, .zero)
            }
            #expect(pull.ways[.artwork]?.isSince == true && !pull.isAuditedByDigest)
            #expect(!audit.ways.values.contains { !$0.isSince } && audit.isAuditedByDigest)
            #expect(audit.requests.sent == pull.requests.sent + 1)
            #expect(audit.outcome == .complete && !audit.hasChanges)
            let store = try mirror.mirror("p").store()
            let times = try store.sinceRecords().mapValues(\.auditedAt)
            #expect(times.count == 5)
            try store.close()
        }
    }

    @Test func anAuditIsExplainedByTheChangesSinceTheLastSync() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue(Self.titles, album: ["w1"]), as: "p")
        _ = try await origin.serving { try await mirror.sync("p", from: "p", port: $0) { $0.media = false } }
        var titles = Self.titles
        (titles["w7"], titles["w8"], titles["new"]) = ("Other", nil, "New")
        try await origin.importing(Self.catalogue(titles, album: ["w1", "w2"]), as: "p")
        try await origin.serving { port in
            let audit = try await mirror.sync("p", from: "p", port: port) {
                ($0.media, $0.auditEvery) = (false, .zero)
            }
            #expect(audit.outcome == .complete && audit.isAuditedByDigest)
            #expect(!audit.ways.values.contains { !$0.isSince }, "\(audit.ways)")
            #expect(try await mirror.verify("p", from: "p", port: port).findings == [])
        }
    }

    @Test func aDifferenceWithoutAChangeIsAuditedByItsKindsList() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue(Self.titles, album: ["w1"]), as: "p")
        try await origin.serving { port in
            try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            // As if it had changed long ago without being reported.
            let store = try mirror.mirror("p").store()
            try await store.pool.write { try $0.execute(sql: "UPDATE artist SET etag = '\"lost\"'") }
            try store.close()
            let audit = try await mirror.sync("p", from: "p", port: port) {
                ($0.media, $0.auditEvery) = (false, .zero)
            }
            #expect(audit.ways[.artist] == .lists(.audit))
            #expect(audit.ways[.album]?.isSince == true)
            #expect(try await mirror.verify("p", from: "p", port: port).findings == [])
        }
    }

    @Test(.enabled(if: RealCatalogues.arePresent)) func twoImplementationsOfTheDigestAgreeOnARealCatalogue()
        async throws
    {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        let source = try RealCatalogues.unpack("cmoa-small", into: origin.folder)
        let partner = try #require(try source.partner()["id"]?.idText)
        try await origin.importing(source, as: partner)
        try await origin.serving { port in
            try await mirror.sync(partner, from: partner, port: port) { $0.media = false }
            let router = Router(partner: partner)
            let etags = try await Self.etags(session(port, partner), router)
            let server = try origin.mirror(partner).store(), store = try mirror.mirror(partner).store()
            try CatalogueServer.prepare(server)
            let naive = NaiveDigest.hash(of: etags)
            let held = try store.digest(.root, from: OriginLeaves(router))
            #expect(held.summary.hash.hexadecimal == naive && held.summary.count == etags.count)
            #expect(try server.digestLeaves(.root, .served).count == etags.count)
            try server.close()
            try store.close()
            let (summary, _) = try await mirror.verify(partner, from: partner, port: port)
            #expect(summary.comparison?.requests == 1 && summary.outcome == .complete)
        }
    }
}
