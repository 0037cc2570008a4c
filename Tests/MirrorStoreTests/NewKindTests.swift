import Catalogue
import GRDB
import MirrorTesting
import Testing

@testable import MirrorStore

/// A catalogue that a gallery published: an example of a kind that an app adds.
private struct Publication: Payload {
    static let kind = "publication"
    static let columns = Column.list("slug name")

    let fields: FieldValues

    init(_ read: inout FieldReader) { fields = read.fields }
}

private let publication = Kind(
    "publication", plural: "publications", read: Publication.self, isListed: true, lists: [.artworks])

@Suite("A kind that an app adds to the built-in ones") struct NewKindTests {
    private let kinds = Kinds(Kinds.standard.all + [publication])
    private let folder: TemporaryFolder
    private var path: String { folder.file("mirror.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func store<T>(readOnly: Bool = false, _ body: (CatalogueStore) throws -> T) throws -> T {
        let store = try CatalogueStore.open(at: path, readOnly: readOnly, kinds: kinds)
        defer { try? store.close() }
        return try body(store)
    }

    private func write(_ id: String, name: String = "A name", etag: String = "\"1\"") throws -> Write {
        let json = JSONObject([
            ("id", .string(id)), ("slug", .string("slug-\(id)")), ("name", .string(name)),
        ])
        var warnings: [FieldWarning] = []
        return .object(
            ObjectRecord(publication, try publication.type.init(json, warnings: &warnings), etag: etag))
    }

    private func run(_ store: CatalogueStore, lists ids: [String], _ writes: [Write]) throws -> FinishReport {
        let run = try store.beginRun("sync")
        let name = ListName(
            url: "/publications?page=1", owner: Owner(.partner, "p"), name: publication.plural)
        let draft = try store.begin(name, with: ids.map { (id: $0, etag: "\"1\"", lists: nil) })
        let answer = ListAnswer(list: name, etag: "\"l\(ids.count)\"", date: nil)
        try store.commit(draft, answer: answer, count: ids.count, run: run)
        _ = try store.apply(writes, run: run)
        var request = FinishRequest(run: run)
        request.kinds = [publication]
        request.clean = [name.url]
        request.limit = .total(10)
        return try store.finish(request)
    }

    private func names(_ store: CatalogueStore) throws -> [String] {
        try store.read { try String.fetchAll($0, sql: "SELECT name FROM publication ORDER BY id") }
    }

    @Test func objectsOfAnAppsKindAreStoredListedSweptAndCounted() throws {
        try store { store in
            let first = try run(store, lists: ["a", "b"], [write("a"), write("b", name: "Other")])
            #expect(first.objections.isEmpty && first.deleted[publication] == nil)
            #expect(try names(store) == ["A name", "Other"])
            #expect(try store.counts()[publication] == 2)
            #expect(try store.serverCount(publication) == 2)
            #expect(try store.apply([write("a")], run: nil) == [.unchanged])
            #expect(try store.apply([write("a", name: "New")], run: nil) == [.updated])
            #expect(try store.unlisted(publication, among: ["a", "c"]) == [ExactText("c")])
            let second = try run(store, lists: ["a"], [])
            #expect(second.deleted == [publication: 1])
            #expect(try names(store) == ["New"])
            #expect(
                try store.read {
                    try String.fetchAll($0, sql: "SELECT id FROM change WHERE action = 'delete'")
                }
                    == ["b"])
        }
    }

    @Test func theArtworksOfAnAppsKindAreJoinedAndMayBeGhosts() throws {
        try store { store in
            _ = try store.apply([write("a")], run: nil)
            let run = try store.beginRun("sync"), owner = Owner(publication, "a")
            let list = ListName(url: "/publication/a/artworks", owner: owner, name: "artworks")
            let answer = ListAnswer(list: list, etag: nil, date: nil)
            #expect(try store.apply([.members(list: answer, ids: ["x", "y"])], run: run) == [.updated])
            _ = try store.finish(FinishRequest(run: run))
            let members = "SELECT artwork_id FROM publication_artwork ORDER BY position"
            #expect(try store.read { try String.fetchAll($0, sql: members) } == ["x", "y"])
            var ghosts: [String] = []
            try store.ghosts(.artwork) { ghosts += $0.referrers.map { "\($0.kind) \($0.id)" } }
            #expect(ghosts == ["publication a", "publication a"])
            // Ghosts to which nothing refers any more are deleted, too.
            _ = try store.apply([.tombstone(kind: publication, id: "a", evidence: "tombstone")], run: run)
            _ = try store.finish(FinishRequest(run: run))
            #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM artwork") } == 0)
        }
    }

    @Test func onlyOneObjectOfAnAppsKindKeepsASlug() throws {
        try store { store in
            _ = try store.apply([write("a")], run: nil)
            try store.write { try $0.execute(sql: "UPDATE publication SET slug = 'slug-b'") }
            _ = try store.apply([write("b")], run: nil)
            let lost = "SELECT count(*) FROM publication WHERE slug IS NULL"
            #expect(try store.read { try Int.fetchOne($0, sql: lost) } == 1)
        }
    }

    /// A mirror without the table can be read, without that kind.
    @Test func theTableOfAnAppsKindIsCreatedWhenTheMirrorIsOpenedForWriting() throws {
        try CatalogueStore.open(at: path).close()
        let known = try store(readOnly: true) { $0.kinds[publication.name] }
        #expect(known == nil)
        try store { store in
            #expect(store.kinds[publication.name] == publication)
            _ = try store.apply([write("a")], run: nil)
        }
        try store(readOnly: true) { store in
            #expect(try names(store) == ["A name"])
            let missing = try store.read { try Schema.missingParts(of: kinds, in: $0) }
            #expect(missing.isEmpty)
        }
        // A store that is opened without the kind doesn't change its table.
        try CatalogueStore.open(at: path).close()
        let remaining = try store(names)
        #expect(remaining == ["A name"])
    }
}
