import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import OperationTree
import Testing

@testable import MirrorSync

/// A museum's export: a folder of JSON files.
///
/// Its lists have pages, a total, and versions of the objects. Objects have no ETag, and a withdrawn object has a field that says
/// so.
private struct FolderSource: CatalogueSource {
    var rule = DeletionRule.absence

    private static let pageSize = 2

    func list(of kind: Kind) -> ListRequest? {
        kind == .artwork ? page(1, of: kind).map { ListRequest($0, isPaged: true) } : nil
    }

    func page(_ number: Int, of kind: Kind) -> Route? { Route("/\(kind.plural)-\(number).json") }

    func readList(_ body: [UInt8], _ take: (ListElement) throws -> Void) throws -> ListAnswerInfo {
        let answer = try JSONValue(parsing: body).objectValue
        for item in answer?["items"]?.arrayValue ?? [] {
            let object = item.objectValue
            let entry = object?["number"]?.idText.map {
                ListEntry(id: $0, etag: object?["version"]?.stringValue)
            }
            try take(ListElement(item, entry: entry))
        }
        return ListAnswerInfo(total: answer?["total"]?.numberValue?.intValue)
    }

    func object(_ id: String, of kind: Kind) -> Route? { Route("/\(kind.name)-\(id).json") }

    func readObject(_ body: [UInt8], id: String, of kind: Kind) throws -> SourceObject {
        var object = try JSONValue(parsing: body).objectValue ?? [:]
        guard object["withdrawn"] != .bool(true) else { return SourceObject(nil) }
        let version = object.removeValue(forKey: "version")?.stringValue
        object["id"] = object.removeValue(forKey: "number").map { .string($0.idText ?? "") }
        return SourceObject(object, version: version)
    }

    var versionsAreETags: Bool { false }
    func deletion(of kind: Kind) -> DeletionRule { rule }
}

@Suite("Syncing from another catalogue source", .limitedConcurrency) struct CatalogueSourceTests {
    private let fixture: StepFixture
    private let folder: TemporaryFolder

    init() throws {
        fixture = try StepFixture { $0.media = false }
        folder = try TemporaryFolder()
    }

    /// The tree of a source that has only artworks and shows.
    private static let tree = Tree<[PartnerID], SyncEnvironment>("Folder") {
        SyncTree.artworks()
        SyncTree.shows()
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        fixture.transport.always("GET", "/\(name)", .text(text))
    }

    /// - Returns: the requests, and the writes.
    private func sync(_ rule: DeletionRule = .absence) async throws -> (
        requests: [String], writes: [String], Outcome
    ) {
        let environment = fixture.environment.taking(from: FolderSource(rule: rule))
        let before = fixture.transport.lines.count
        let run = Run(
            Self.tree, input: [fixture.partner], environment: environment, mode: .synchronous,
            configuration: RunConfiguration())
        let outcome = await run.execute()
        return (Array(fixture.transport.lines[before...]), try await fixture.commit(), outcome)
    }

    private func writeCatalogue() throws {
        try write(
            "artworks-1.json",
            #"{"total":3,"items":[{"number":7,"version":"v1"},{"number":8,"version":"v1"}]}"#)
        try write("artworks-2.json", #"{"total":3,"items":[{"number":9,"version":"v1"}]}"#)
        for number in 7...9 {
            try write("artwork-\(number).json", #"{"number":\#(number),"title":"Work \#(number)"}"#)
        }
    }

    @Test func pagedListsAreReadUntilTheirTotalAndVerifiedByASecondReading() async throws {
        try writeCatalogue()
        let (requests, writes, outcome) = try await sync()
        #expect(
            requests == [
                "GET /artworks-1.json", "GET /artworks-2.json", "GET /artworks-1.json",
                "GET /artworks-2.json",
                "GET /artwork-7.json", "GET /artwork-8.json", "GET /artwork-9.json",
            ])
        #expect(writes == ["artwork 7 created", "artwork 8 created", "artwork 9 created"])
        #expect(outcome.counts["show"]?.items == 0, "a kind without a list expands to nothing")
        #expect(fixture.environment.report.current.complete == [.artwork])
        #expect(try fixture.store.fetch(Artwork.self, id: "8")?.title == "Work 8")
    }

    @Test func anUnchangedVersionVouchesForAnObjectWithoutAnETag() async throws {
        try writeCatalogue()
        _ = try await sync()
        try write("artworks-2.json", #"{"total":3,"items":[{"number":9,"version":"v2"}]}"#)
        try write("artwork-9.json", #"{"number":9,"title":"Another title"}"#)
        let (requests, writes, _) = try await sync()
        #expect(requests.filter { !$0.contains("artworks-") } == ["GET /artwork-9.json"])
        #expect(writes == ["artwork 9 updated"])
        #expect(
            fixture.transport.requests.allSatisfy { $0.headers["If-None-Match"] == nil }, "no version is sent"
        )
    }

    @Test func anObjectThatItsAnswerDeclaresWithdrawnIsNotStored() async throws {
        try writeCatalogue()
        try write("artwork-8.json", #"{"number":8,"withdrawn":true}"#)
        let (_, writes, _) = try await sync()
        #expect(writes == ["artwork 7 created", "artwork 9 created"])
        #expect(fixture.environment.report.current.notFound == [.artwork: [ExactText("8")]])
    }

    @Test(arguments: [DeletionRule.signal, .never])
    func aSourceWhoseAbsencesProveNothingIsNeverSwept(rule: DeletionRule) async throws {
        try writeCatalogue()
        let (_, writes, _) = try await sync(rule)
        #expect(writes.count == 3)
        #expect(fixture.environment.report.current.complete == [])
    }
}

// MARK: - A new kind

/// The first edit: a type for the kind's fields.
private struct Publication: Payload {
    static let kind = "publication"
    static let columns = Column.list("title")

    let fields: FieldValues

    init(_ read: inout FieldReader) { fields = read.fields }
}

/// The second edit: the kind's names and properties.
private let publication = Kind(
    "publication", plural: "publications", read: Publication.self, isListed: true, titleColumn: "title")

/// The third edit: adding it to the kinds.
private let kinds = Kinds(Kinds.standard.all + [publication])

/// The fourth edit: a node of the tree.
private let tree = Tree<[PartnerID], SyncEnvironment>("Publications") {
    Node("publication", ObjectStep<Never>(leaf: publication))
}

@Suite("Adding a kind in four edits", .limitedConcurrency) struct NewKindSyncTests {
    @Test func aNewKindIsSyncedUpdatedAndSwept() async throws {
        let fixture = try StepFixture(kinds: kinds) { $0.media = false }
        func sync(_ list: String) async throws -> [String] {
            fixture.transport.always("GET", "/partner/p/publications?ids=1&size=all", .text(list))
            let run = Run(
                tree, input: [fixture.partner], environment: fixture.environment, mode: .synchronous,
                configuration: RunConfiguration())
            #expect(await run.execute().isComplete)
            let writes = try await fixture.commit()
            var request = FinishRequest(run: fixture.environment.run)
            request.mayDelete = true
            request.kinds = fixture.environment.report.current.complete
            _ = try fixture.store.finish(request)
            return writes
        }
        for id in ["a", "b"] {
            fixture.transport.always(
                "GET", "/partner/p/publication/\(id)",
                .text(#"{"id":"\#(id)","title":"Title \#(id)"}"#, etag: "\"1\""))
        }
        #expect(try await sync(#"["a","b"]"#) == ["publication a created", "publication b created"])
        #expect(try fixture.store.counts()[publication] == 2)
        #expect(try await sync(#"["b"]"#) == ["publication b unchanged"])
        #expect(try fixture.store.counts()[publication] == 1)
        #expect(try fixture.store.find(publication, "b")?.summary.name == "Title b")
    }
}
