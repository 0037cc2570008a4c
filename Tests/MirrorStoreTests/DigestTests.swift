import Catalogue
import Crypto
import GRDB
import MirrorSimulation
import MirrorTesting
import Testing

@testable import MirrorStore

@Suite("The trie of a digest") struct DigestTrieTests {
    private func leaves(_ count: Int) -> [DigestLeaf] {
        (0..<count).map { DigestLeaf(url: "/artwork/\($0)", etag: "\"\($0 % 7)\"") }
    }

    private func naive(_ leaves: [DigestLeaf], _ prefix: String = "") -> String {
        NaiveDigest.hash(
            of: Dictionary(uniqueKeysWithValues: leaves.map { ($0.url, $0.etag) }), under: prefix)
    }

    @Test func anEmptyDigestIsZeroAndADigestOfOneURLIsItsLeaf() {
        #expect(DigestTrie.summary(of: [], under: .root).hash == DigestTrie.zero)
        let leaf = DigestLeaf(url: "/me", etag: "\"x\"")
        #expect(leaf.hash == Array(SHA256.hash(data: Array("/me\0\"x\"".utf8))))
        #expect(DigestTrie.summary(of: [leaf], under: .root) == .init(hash: leaf.hash, count: 1))
    }

    @Test(arguments: [2, 3, 16, 17, 40, 300]) func aDigestNodeIsTheHashOfItsSixteenChildren(count: Int) throws
    {
        let leaves = leaves(count)
        #expect(DigestTrie.summary(of: leaves.reversed(), under: .root).hash.hexadecimal == naive(leaves))
        for prefix in ["0", "a", "f3"] {
            let node = DigestTrie.summary(of: leaves, under: try #require(DigestPrefix(prefix)))
            #expect(node.hash.hexadecimal == naive(leaves, prefix))
        }
    }

    @Test(
        arguments: [
            ("", true), ("0", true), ("aBcDeF09", true), (String(repeating: "f", count: 64), true),
            (String(repeating: "f", count: 65), false), ("g", false), ("0x", false), (" ", false),
            ("é", false),
        ])
    func aDigestPrefixHasUpToSixtyFourHexadecimalDigits(text: String, isValid: Bool) {
        #expect(DigestPrefix(text)?.text == (isValid ? text.lowercased() : nil))
    }

    @Test func digestKeysAreInTheRangesOfTheirPrefixes() throws {
        for leaf in leaves(50) {
            let key = leaf.key
            for length in [0, 1, 5, 15, 16, 17, 64] {
                let prefix = try #require(DigestPrefix(String(key.hexadecimal.prefix(length))))
                #expect(prefix.leads(to: key) && prefix.range.contains(DigestLeaf.order(of: key)))
            }
            let other = try #require(DigestPrefix(key.hexadecimal.hasPrefix("0") ? "1" : "0"))
            #expect(!other.leads(to: key) && !other.range.contains(DigestLeaf.order(of: key)))
        }
    }
}

@Suite("The stored digest") struct DigestTests {
    private static let router = Router(partner: "p")
    private let source = OriginLeaves(router)
    private let test: TestStore
    private var store: CatalogueStore { test.store }

    init() throws { test = try TestStore() }

    /// The expected URLs and ETags, read from the tables by other queries than the digest's.
    private func expected() throws -> [String: String] {
        try store.read { db in
            var etags: [String: String] = [:]
            for kind in Kinds.standard.listed {
                let sql = """
                    SELECT id, etag FROM "\(kind.table)"
                    WHERE ghost + kept + linked = 0 AND etag IS NOT NULL
                    """
                for row in try Row.fetchAll(db, sql: sql) {
                    let id: String = row[0]
                    etags[try #require(Self.router.url(of: .object(kind, id: id)))] = row[1]
                    let lists =
                        "SELECT name, etag FROM list WHERE owner_kind = ? AND owner_id = ? AND etag NOT NULL"
                    for list in try Row.fetchAll(db, sql: lists, arguments: [kind.name, id]) {
                        etags[try #require(Self.url(Owner(kind, id), list[0]))] = list[1]
                    }
                    guard kind == .show || kind == .artist else { continue }
                    let documents = "SELECT id, etag FROM document WHERE \(kind.name)_id = ?"
                    for document in try Row.fetchAll(db, sql: documents, arguments: [id]) {
                        let url = Self.router.url(of: .document(Owner(kind, id), id: document[0]))
                        etags[try #require(url)] = document[1]
                    }
                }
            }
            return etags
        }
    }

    private func check(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let expected = try expected()
        let root = try store.digest(.root, from: source)
        #expect(root.summary.count == expected.count, comment, sourceLocation: sourceLocation)
        #expect(
            root.summary.hash.hexadecimal == NaiveDigest.hash(of: expected), comment,
            sourceLocation: sourceLocation)
    }

    private func object(_ kind: Kind, _ id: String, _ version: Int) -> Write {
        let values = kind.columns.map { _ in FieldValue.null }
        return .object(
            ObjectRecord(
                kind: kind, id: id, values: values, json: #"{"id":"\#(id)","v":\#(version)}"#,
                etag: "\"\(id)-\(version)\""))
    }

    private func list(_ owner: Owner, _ name: String, _ ids: [String], _ etag: String) -> Write {
        let list = ListName(url: Self.url(owner, name) ?? "", owner: owner, name: name)
        return .members(list: ListAnswer(list: list, etag: etag, date: nil), ids: ids)
    }

    private static func url(_ owner: Owner, _ list: String) -> String? {
        ObjectList(rawValue: list).flatMap { router.url(of: .list(owner, $0)) }
    }

    private func document(_ id: String, of owner: Owner, _ version: Int) -> Write {
        .document(
            DocumentRecord(
                owner: owner, id: id, values: [.null, .null, .null, .null],
                json: #"{"id":"\#(id)","v":\#(version)}"#, etag: "\"d\(version)\"", served: nil))
    }

    @Test func changesAreMarkedOnlyAfterADigestWasRequested() throws {
        _ = try store.apply([object(.artwork, "a", 1)], run: nil)
        let marks = { try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM digest_mark") } }
        #expect(try marks() == 0)
        try check()
        _ = try store.apply([object(.artwork, "a", 2), object(.artwork, "b", 1)], run: nil)
        #expect(try marks() ?? 0 > 0)
        try check()
        #expect(try marks() == 0)
    }

    /// With a trigger, SQLite copies every page that an insertion touches.
    @Test func digestTriggersExistOnlyWhileADigestIsStored() throws {
        let triggers = {
            try store.read {
                try Int.fetchOne(
                    $0,
                    sql: """
                        SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%digest_mark%'
                        """)
            }
        }
        #expect(try triggers() == 0)
        try check()
        #expect(try triggers() ?? 0 > 0)
        try store.forgetValidators()
        #expect(try triggers() == 0)
        try check()
        #expect(try triggers() ?? 0 > 0)
        try store.forgetDigests()
        #expect(try triggers() == 0)
    }

    @Test func requestingAnUnchangedDigestWritesNothing() throws {
        _ = try store.apply([object(.artwork, "a", 1)], run: nil)
        let generation = try store.generation()
        try check()
        let changes = try store.read { $0.totalChangesCount }
        try check()
        #expect(try store.read { $0.totalChangesCount } == changes)
        #expect(try store.generation() == generation)
    }

    @Test(arguments: 0..<2) func theDigestIsCorrectAfterRandomChanges(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let kinds: [Kind] = [.artwork, .artist, .show, .location]
        try check()
        for step in 0..<36 {
            let count = Int.random(in: 1...(step % 20 == 0 ? 120 : 4), using: &random)
            let run = try test.beginRun()
            for _ in 0..<count {
                let kind = kinds[Int.random(in: 0..<4, using: &random)]
                let id = "\(Int.random(in: 0..<60, using: &random))", owner = Owner(kind, id)
                let version = Int.random(in: 0..<3, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0: _ = try store.apply([.tombstone(kind: kind, id: id, evidence: "test")], run: run)
                case 1: _ = try store.apply([.refetch(kind: kind, id: id)], run: run)
                case 2 where kind == .show || kind == .artist:
                    _ = try store.apply(
                        [
                            document("d\(version)", of: owner, step),
                            list(owner, "documents", [], "\"\(step)\""),
                        ],
                        run: run)
                case 3 where kind == .show || kind == .location:
                    _ = try store.apply([list(owner, "artworks", ["1", id], "\"l\(step)\"")], run: run)
                default: _ = try store.apply([object(kind, id, version)], run: run)
                }
            }
            var request = FinishRequest(run: run)
            request.kinds = []
            _ = try store.finish(request)
            // The digest must be correct after one run and after several.
            if step % 3 != 1 { try check("step \(step)") }
        }
    }

    @Test func forgettingValidatorsEmptiesTheDigest() throws {
        _ = try store.apply([object(.artwork, "a", 1)], run: nil)
        try check()
        try store.forgetValidators()
        #expect(try store.digest(.root, from: source).summary.hash == DigestTrie.zero)
        _ = try store.apply([object(.artwork, "a", 2)], run: nil)
        try check()
    }

    @Test func everyDigestPrefixReturnsItsNode() throws {
        let writes = (0..<400).map { object(.artwork, "w\($0)", 1) }
        _ = try store.apply(writes, run: nil)
        let expected = try expected()
        for prefix in ["", "0", "7", "ab", "abc", "1234"] {
            let prefix = try #require(DigestPrefix(prefix))
            let node = try store.digest(prefix, from: source)
            #expect(node.summary.hash.hexadecimal == NaiveDigest.hash(of: expected, under: prefix.text))
            switch node.content {
            case .children(let children): #expect(children.reduce(0) { $0 + $1.count } > 16)
            case .leaves(let leaves):
                #expect(leaves.count <= 16 && leaves.allSatisfy { prefix.leads(to: $0.key) })
            }
        }
    }
}
