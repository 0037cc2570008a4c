import Catalogue
import GRDB
import Synchronization
import Testing

@testable import MirrorStore

/// The queries of pages read some rows of an index, however many artworks there are.
@Suite("Query plans of the pages")
struct BrowsingPlanTests {
    private let fixture: BrowsingFixture
    private let statements = StatementRecorder()
    private let queue: DatabaseQueue
    private let store: CatalogueStore

    init() throws {
        fixture = try BrowsingFixture()
        try fixture.put(.show, "s", ["name": "Show"])
        _ = try fixture.test.members(Owner(.show, "s"), ["a", "b", "c"], run: fixture.run)
        _ = try fixture.test.finish(fixture.run)
        try fixture.store.updateSearchIndex()
        var configuration = Configuration()
        let statements = statements
        configuration.prepareDatabase { db in
            db.trace { event in
                if case .statement(let statement) = event { statements.add(statement.expandedSQL) }
            }
        }
        queue = try DatabaseQueue(path: fixture.test.folder.database, configuration: configuration)
        let now = fixture.store.now
        store = CatalogueStore(
            pool: queue, path: fixture.test.folder.database, reading: nil, now: now, kinds: .standard)
    }

    private final class StatementRecorder: Sendable {
        private let texts = Mutex<[String]>([])
        func add(_ sql: String) { texts.withLock { $0.append(sql) } }
        func take() -> [String] {
            texts.withLock { texts in
                defer { texts = [] }
                return texts.filter { $0.hasPrefix("SELECT") }
            }
        }
    }

    /// Tables with a few rows, which may be scanned.
    private static let small = ["facet_field"]

    /// Runs queries, and expects that none scans a table or sorts.
    private func expectIndexed(_ work: () throws -> Void) throws {
        _ = statements.take()
        try work()
        let found = Set(statements.take())
        #expect(!found.isEmpty)
        // FTS5's own statements read its own tables.
        for sql in found where !sql.contains("'main'.") {
            let plan = try queue.read {
                try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
            }
            for step in plan where !Self.small.contains(where: step.contains) {
                let isScan =
                    step.hasPrefix("SCAN ") && !step.contains("VIRTUAL TABLE")
                    && !step.contains("CONSTANT ROW")
                    && !step.hasPrefix("SCAN (") && step != "SCAN s"
                // The places of one artwork in one list, which are few.
                let isFew = sql.contains("m.artwork_id =")
                #expect(!isScan && (isFew || !step.contains("TEMP B-TREE")), "\(step) in: \(sql)")
            }
        }
    }

    @Test(
        arguments: ArtworkSort.allCases,
        [
            [:], [.category: "Print"], [.category: "Print", .artist: "durer"],
            [.changed: "100", .century: "16"],
        ] as [[Facet: String]])
    func `Lists of artworks neither scan nor sort`(_ sort: ArtworkSort, _ filters: [Facet: String]) throws {
        for face in Face.allCases {
            let query = ArtworkQuery(face: face, filters: filters, sort: sort)
            try expectIndexed {
                let page = try store.artworks(query, limit: 1)
                if let next = page.next {
                    let second = try store.artworks(query, from: .after(next), limit: 1)
                    if let previous = second.previous {
                        _ = try store.artworks(query, from: .before(previous), limit: 1)
                    }
                }
                _ = try store.guide(query)
                _ = try store.neighbours(of: "d", in: query)
                _ = try store.snapshot { reader in
                    let filter = try WordFilter(query, today: store.today, in: reader.db)
                    return filter.isImpossible ? nil : try FacetSample(of: filter, size: 150, in: reader.db)
                }
            }
        }
    }

    @Test func `Lists of names and members neither scan nor sort`() throws {
        for face in Face.allCases {
            for kind in CatalogueStore.namedKinds {
                try expectIndexed {
                    let page = try store.names(kind, for: face, limit: 1)
                    if let next = page.next {
                        _ = try store.names(kind, for: face, from: .after(next), limit: 1)
                    }
                    _ = try store.letters(kind, for: face)
                }
            }
            try expectIndexed { _ = try store.shownCounts(for: face) }
            try expectIndexed {
                let page = try store.members(of: Owner(.show, "s"), for: face, limit: 1)
                if let next = page.next {
                    _ = try store.members(of: Owner(.show, "s"), for: face, from: .after(next), limit: 1)
                }
                _ = try store.neighbours(of: "b", among: Owner(.show, "s"), for: face)
            }
        }
    }

    @Test func `The object of a page is read without its artworks and files`() throws {
        _ = statements.take()
        let found = try store.findAlone(.show, "s")
        #expect(found?.summary.name == "Show" && found?.json?.contains("Show") == true)
        #expect(statements.take().count == 1)
        #expect(try store.findAlone(.show, "t")?.summary == nil)
    }

    /// Up to 5,000 hits are ranked, which sorts them.
    @Test func `A search scans no table`() throws {
        _ = statements.take()
        let words = SearchWords("durer hare")
        #expect(try store.search(words, ArtworkQuery()).artworks.map(\.id) == ["c"])
        _ = try (
            store.search(SearchWords("xylophone"), ArtworkQuery()),
            store.search(words, ArtworkQuery(), by: .artist)
        )
        for sql in statements.take() {
            let plan = try queue.read {
                try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
            }
            #expect(!plan.contains { $0.hasPrefix("SCAN artwork") || $0.hasPrefix("SCAN o") }, "\(sql)")
        }
    }
}
