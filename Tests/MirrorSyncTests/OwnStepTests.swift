import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync
import MirrorTesting
import OperationTree
import PeriodicLoops
import Testing

// The examples of the article ExtendingASync, which use only public declarations.

/// The opening hours of the museum, at an address that only this server has.
struct OpeningHours: JSONOperation {
    struct Output: Decodable { let text: String }
    let partner: String
    var endpoint: Request.Target { .relative("/partner/\(partner)/opening_hours") }
}

/// Writes the opening hours into the folder for an app's files.
struct OpeningHoursStep: Step {
    func identity(of partner: PartnerID) -> String { partner.id }

    func perform(_ partner: PartnerID, in context: StepContext<SyncEnvironment>) async throws -> [Never] {
        let environment = context.environment
        let hours = try await environment.session.send(OpeningHours(partner: partner.id))
        let folder = URL(filePath: environment.files.appFiles)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(hours.text.utf8).write(to: folder.appending(path: "opening_hours"))
        return []
    }

    func operations(performing partner: PartnerID, in context: StepContext<SyncEnvironment>)
        -> [any RequestOperation]
    { [OpeningHours(partner: partner.id)] }
}

/// A sync without the covers of shows, and with an app's own nodes.
func openTree(_ underPictures: SyncTree.FileNode) -> Tree<String, SyncEnvironment> {
    let pictures = SyncTree.pictures { underPictures }
    return SyncTree.partner {
        SyncTree.details
        SyncTree.locations
        SyncTree.artists
        SyncTree.artworks(pictures: pictures)
        SyncTree.shows(pictures: pictures)
        SyncTree.editedAlbums
        Node("opening hours", OpeningHoursStep())
    }.leavingOut(["show cover"])
}

/// The requests that a node would send for the partner. None is sent.
func requests(
    of name: String, in tree: Tree<String, SyncEnvironment>, _ environment: SyncEnvironment
) throws -> [Request] {
    try tree.requests(of: name, for: PartnerID(environment.partnerID), in: environment) ?? []
}

/// Writes the outcome of the last sync into the folder for an app's files.
func outcomeHook() -> SyncHook {
    SyncHook(
        "outcome",
        after: { context, summary in
            let folder = URL(filePath: context.folder.appFiles)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(summary.outcome.rawValue.utf8).write(to: folder.appending(path: "outcome"))
        })
}

/// Writes a file each minute, so that another program can see that this one is running.
struct HeartbeatItem: Pollable {
    let path: String
    let interval = Duration.seconds(60)

    func poll() async throws { try Data("alive".utf8).write(to: URL(filePath: path)) }
}

/// Writes the size of each picture into a file in the mirror's folder.
private struct SizeStep: Step {
    func identity(of item: StoredPicture) -> String { "\(item.image)/\(item.format)" }

    func perform(_ picture: StoredPicture, in context: StepContext<SyncEnvironment>) async throws -> [Never] {
        guard let file = picture.file else { return [] }
        let note = "\(context.environment.files.folder)/\(picture.owner.id)-\(picture.image)"
        try Data("\(file.size)".utf8).write(to: URL(filePath: note))
        return []
    }
}

@Suite("An app's own steps", .fewAtATime) struct OwnStepTests {
    private let partner = FakePartner { state in
        state.artwork("a")
        state.overrides["/partner/p/opening_hours"] = .text(#"{"text":"10 to 18"}"#)
    }

    private static let tree = openTree(Node("size", SizeStep(), lane: .media))

    /// An environment whose transport answers no request.
    private func quiet(_ mirror: MirrorFolder, _ store: CatalogueStore) throws -> SyncEnvironment {
        let transport = ScriptedTransport()
        return SyncEnvironment(
            partner: "p", store: store, folder: mirror,
            session: try InterceptableSession(base: transport.base, transport: transport),
            extensions: ["validators"])
    }

    @Test func everyExampleOfTheArticleOnExtendingASyncIsCompiled() throws {
        let tests = URL(filePath: #filePath)
        let package = tests.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = try String(
            contentsOf: package.appending(path: "Sources/MirrorSync/MirrorSync.docc/ExtendingASync.md"),
            encoding: .utf8)
        let source = try String(contentsOf: tests, encoding: .utf8)
        // The first example has only the imports.
        let examples = article.matches(of: #/```swift\n((?s).*?)```/#).map { String($0.output.1) }.dropFirst()
        #expect(examples.count == 6)
        for example in examples { #expect(source.contains("\n\(example)"), "\(example)") }
    }

    @Test func anAppsStepSendsItsRequestInTheRunsSession() async throws {
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(tree: Self.tree, hooks: [outcomeHook()])
        #expect(summary.outcome == .complete, "\(summary.problems)")
        let outcome = try Data(contentsOf: URL(filePath: "\(mirror.mirror.appFiles)/outcome"))
        #expect(String(decoding: outcome, as: UTF8.self) == "complete")
        #expect(partner.takeRequests().contains("GET /partner/p/opening_hours"))
        let hours = try Data(contentsOf: URL(filePath: "\(mirror.mirror.appFiles)/opening_hours"))
        #expect(String(decoding: hours, as: UTF8.self) == "10 to 18")
    }

    @Test func aDryRunDoesNotPerformAnAppsSteps() async throws {
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
        #expect(!partner.takeRequests().contains { $0.hasSuffix("/opening_hours") })
        #expect(!FileManager.default.fileExists(atPath: "\(try mirror.mirror.appFiles)/opening_hours"))
    }

    @Test func theNodesOfATreeListTheirRequestsWithoutSendingThem() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let store = try mirror.mirror.store()
        defer { try? store.close() }
        let environment = try quiet(mirror.mirror, store)
        func sent(_ node: String) throws -> [String] {
            try requests(of: node, in: Self.tree, environment).map { request in
                guard case .relative(let place) = request.target else { return "elsewhere" }
                return "\(request.method) \(place)"
            }
        }
        #expect(try sent("artwork") == ["GET /partner/p/artworks?ids=1&size=all&validators=1"])
        #expect(try sent("opening hours") == ["GET /partner/p/opening_hours"])
    }

    @Test func aStepCanBePerformedAloneInAnEnvironmentThatStoresNothing() async throws {
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

    @Test func runningATreeWithoutASyncStoresNothing() async throws {
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
            Self.tree.leavingOut(["opening hours"]), input: "p", environment: environment, mode: .synchronous
        ).execute()
        #expect(!outcome.isComplete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }
}
