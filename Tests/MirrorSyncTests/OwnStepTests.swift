import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync
import MirrorTesting
import OperationTree
import Testing

/// What the partner says of itself; a request that only an app knows.
private struct Motto: JSONOperation {
    struct Output: Decodable { let text: String }
    let partner: String
    var endpoint: Request.Target { .relative("/partner/\(partner)/motto") }
}

/// Writes it into the mirror's folder.
private struct MottoStep: Step {
    func identity(of item: PartnerID) -> String { item.id }

    func expand(_ partner: PartnerID, in context: StepContext<SyncEnvironment>) async throws
        -> Expansion<PartnerID>
    { .one(partner) }

    func perform(_ partner: PartnerID, in context: StepContext<SyncEnvironment>) async throws -> [Never] {
        let motto = try await context.environment.session.send(Motto(partner: partner.id))
        try Data(motto.text.utf8).write(to: URL(filePath: "\(context.environment.files.folder)/motto"))
        return []
    }

    func operations(performing item: PartnerID, in context: StepContext<SyncEnvironment>)
        -> [any RequestOperation]
    { [Motto(partner: item.id)] }
}

/// Notes the size of a picture beside it.
private struct SizeStep: Step {
    func identity(of item: StoredPicture) -> String { "\(item.image)/\(item.format)" }

    func expand(_ picture: StoredPicture, in context: StepContext<SyncEnvironment>) async throws
        -> Expansion<StoredPicture>
    { .one(picture) }

    func perform(_ picture: StoredPicture, in context: StepContext<SyncEnvironment>) async throws -> [Never] {
        guard let file = picture.file else { return [] }
        let note = "\(context.environment.files.folder)/\(picture.owner.id)-\(picture.image)"
        try Data("\(file.size)".utf8).write(to: URL(filePath: note))
        return []
    }
}

/// Written as an app writes it: with the public interface alone.
@Suite("An app's own steps", .fewAtATime) struct OwnStepTests {
    private let partner = FakePartner { state in
        state.artwork("a")
        state.overrides["/partner/p/motto"] = .text(#"{"text":"Look twice"}"#)
    }

    private static let tree = SyncTree.partner {
        SyncTree.artworks()
        Node("motto", MottoStep())
    }

    /// An environment in which nothing can be sent.
    private func quiet(_ mirror: MirrorFolder, _ store: CatalogueStore) throws -> SyncEnvironment {
        let transport = ScriptedTransport()
        return SyncEnvironment(
            partner: "p", store: store, folder: mirror,
            session: try InterceptableSession(base: transport.base, transport: transport),
            extensions: ["validators"])
    }

    private func lines(_ operations: [any Sendable]) throws -> [String] {
        try operations.map { operation in
            let request = try #require(operation as? any RequestOperation).request()
            guard case .relative(let place) = request.target else { return "elsewhere" }
            return "\(request.method) \(place)"
        }
    }

    @Test func anAppsStepSendsItsRequestByTheRunsSession() async throws {
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(tree: Self.tree)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(partner.takeRequests().contains("GET /partner/p/motto"))
        let motto = try Data(contentsOf: URL(filePath: "\(mirror.mirror.path)/motto"))
        #expect(String(decoding: motto, as: UTF8.self) == "Look twice")
    }

    @Test func aDryRunLeavesAnAppsStepsAlone() async throws {
        let mirror = try TestMirror(partner)
        var options = SyncOptions()
        options.synchronous = true
        let sync = try Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
            tree: Self.tree
        ) { [partner] base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }
        #expect(try await sync.plan().plan?.hasChanges == true)
        #expect(!partner.takeRequests().contains { $0.hasSuffix("/motto") })
        #expect(!FileManager.default.fileExists(atPath: "\(try mirror.mirror.path)/motto"))
    }

    @Test func theNodesOfATreeSayWhatTheyWouldSend() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let store = try mirror.mirror.store()
        defer { try? store.close() }
        let environment = try quiet(mirror.mirror, store)
        func sent(_ node: String) throws -> [String] {
            let node = try #require(Self.tree.node(node, taking: PartnerID.self))
            return try lines(node.operations(for: PartnerID("p"), in: environment))
        }
        #expect(try sent("artwork") == ["GET /partner/p/artworks?ids=1&size=all&validators=1"])
        #expect(try sent("motto") == ["GET /partner/p/motto"])
    }

    @Test func aStepIsTriedByItselfInAnEnvironmentThatStoresNothing() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let store = try mirror.mirror.store()
        defer { try? store.close() }
        let environment = try quiet(mirror.mirror, store)
        let file = StoredFile(hash: "ab", size: 7, path: "media/ab/ab.jpg", type: "image/jpeg")
        let picture = StoredPicture(
            owner: Owner(.artwork, "a"), image: "i", format: "larger", file: file,
            path: "\(environment.files.folder)/\(file.path)")
        let context = StepContext(node: "size", environment: environment)
        #expect(try await SizeStep().perform(picture, in: context).isEmpty)
        let note = try Data(contentsOf: URL(filePath: "\(environment.files.folder)/a-i"))
        #expect(String(decoding: note, as: UTF8.self) == "7")
    }

    @Test func aTreeThatIsRunWithoutASyncStoresNothing() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.artwork("b") }
        let store = try mirror.mirror.store()
        defer { try? store.close() }
        let base = "http://origin.test/api/v1"
        let environment = SyncEnvironment(
            partner: "p", store: store, folder: try mirror.mirror,
            session: try InterceptableSession(base: base, transport: partner.transport(base: base)))
        let outcome = await Run(
            Self.tree.leavingOut(["motto"]), input: "p", environment: environment, mode: .synchronous
        ).execute()
        #expect(!outcome.isComplete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }
}
