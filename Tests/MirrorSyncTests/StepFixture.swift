import Catalogue
import Foundation
import MirrorHTTP
import MirrorTesting
import OperationTree
import Synchronization
import Testing

@testable import MirrorStore
@testable import MirrorSync

/// An environment to run a single step: an empty mirror, and a server with scripted answers.
struct StepFixture {
    let tree = SyncTree.tree
    let home: TemporaryHome
    let transport = ScriptedTransport()
    let environment: SyncEnvironment
    /// The input of the nodes under the root.
    let partner = PartnerID("p")
    private let written: Written

    /// The applied writes, in order.
    private final class Written: Sendable {
        let lines = Mutex<[String]>([])
    }

    init(
        extensions: Set<String> = [], clock: SessionClock = .system, kinds: Kinds = .standard,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws {
        var options = SyncOptions()
        change(&options)
        home = try TemporaryHome()
        let mirror = try home.mirror("p")
        try mirror.prepare()
        let store = try CatalogueStore.open(at: mirror.database, kinds: kinds)
        let run = try store.beginRun("sync")
        let report = SyncReport(), written = Written()
        let now: @Sendable () -> Date = { Date(timeIntervalSince1970: 1_795_000_000) }
        let applier = Applier(
            store: store, run: run, report: report, now: now,
            observe: { write, effect in
                let (kind, id) = write.subject
                written.lines.withLock { $0.append("\(kind) \(id) \(effect)") }
            })
        environment = SyncEnvironment(
            partner: "p", store: store, files: mirror.files,
            sender: try InterceptableSession(
                base: transport.base, transport: transport,
                // Other hosts of pictures have a public address.
                configuration: SessionConfiguration(
                    clock: clock, addressGuard: AddressGuard { _ in ["93.184.216.34"] })),
            applier: applier, report: report, options: options, run: run, now: now
        ).identified(as: "p", extensions: extensions)
        self.written = written
    }

    var store: CatalogueStore { environment.store }

    var folder: TemporaryFolder { home.folder }

    /// Commits all submitted writes.
    ///
    /// - Returns: the writes since the last call, for example `artwork a created`.
    func commit() async throws -> [String] {
        try await environment.applier.flush()
        return written.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Stores objects as if the server had sent them.
    func put(_ records: ObjectRecord...) async throws {
        for record in records { try await environment.applier.submit(.object(record)) }
        _ = try await commit()
    }

    func owner(_ kind: Kind, _ id: String, lists: [String: String]? = nil) -> OwnerLists {
        OwnerLists(owner: Owner(kind, id), partner: "p", listed: lists)
    }

    func listed(_ id: String, known: String? = nil, isVouched: Bool = false) -> ObjectItem {
        ObjectItem(id: id, known: known, isVouched: isVouched)
    }

    func context(_ node: String) -> StepContext<SyncEnvironment> {
        StepContext(node: node, environment: environment)
    }

    static func json(_ text: String) throws -> JSONObject {
        try JSONValue(parsing: text).objectValue ?? [:]
    }

    static func album(_ id: String, name: String) -> ObjectRecord {
        let body = "{\"id\":\"\(id)\",\"name\":\"\(name)\"}"
        return ObjectRecord(
            kind: .album, id: id, values: [.null, .text(name), .null, .null, .null], json: body, etag: nil)
    }

    static func record<Body: Payload>(_ kind: Kind, _ type: Body.Type, _ text: String) throws
        -> ObjectRecord
    {
        var warnings: [FieldWarning] = []
        return ObjectRecord(kind, try Body(json(text), warnings: &warnings), etag: nil)
    }
}

extension Step where Operation == any RequestOperation, Environment == SyncEnvironment {
    /// The requests that expanding an input would send, for example `GET /me`.
    func lines(expanding input: Input, in context: StepContext<SyncEnvironment>) throws -> [String] {
        try operations(expanding: input, in: context).map { try $0.request().line }
    }

    func lines(performing item: Item, in context: StepContext<SyncEnvironment>) throws -> [String] {
        try operations(performing: item, in: context).map { try $0.request().line }
    }
}

extension Request {
    /// Method, target and body on one line, in the form of ``ScriptedTransport/lines``.
    var line: String {
        let target =
            switch target {
            case .relative(let text), .beside(let text), .absolute(let text): text
            }
        return "\(method) \(target)" + (body.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
    }
}

extension StepFixture {
    /// The picture of an artwork, in two formats.
    var pictures: Pictures {
        let address = ImageAddress(template: "artwork/a/image/i/larger.jpg", versions: ["square", "larger"])
        return Pictures(Owner(.artwork, "a"), .picture, [StoredImage(id: "i", address: address, entry: "e")])
    }

    var document: DocumentFile {
        DocumentFile(
            owner: Owner(.show, "a/b"), id: "d e",
            uri: "/partner/p/show/a%2Fb/document/d%20e/file/plan.pdf", entry: "e", size: nil)
    }

    /// Edits albums locally: renames one, creates one with an artwork in it, and deletes one.
    func editAlbums() async throws {
        try await put(
            Self.album("known", name: "Known"), Self.album("gone", name: "Gone"),
            Self.record(.artwork, Artwork.self, #"{"id":"w/1","title":"Work"}"#))
        let renamed = Self.album("known", name: "Renamed")
        #expect(try store.editAlbum("known", newKey: { "key" }) { _ in renamed })
        try store.createAlbum(Self.album("mine", name: "Mine"), key: "key-1")
        #expect(try store.editAlbum("mine", artwork: "w/1", present: true, newKey: { "key" }))
        #expect(try store.deleteAlbum("gone"))
    }
}
