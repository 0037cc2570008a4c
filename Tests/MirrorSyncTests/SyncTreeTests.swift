import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree
import Testing

@testable import MirrorSync

/// The structure of the tree, and the requests that each of its steps would send.
@Suite("The tree of a sync", .limitedConcurrency) struct SyncTreeTests {
    @Test func theDrawnSyncTreeMatchesTheTree() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "sync_tree.dot")
        let drawing = try String(contentsOf: file, encoding: .utf8)
        #expect(
            drawing == DotGraph(SyncTree.tree).text,
            "Write the file again: swift run mirror tree --format dot > sync_tree.dot")
    }

    @Test func onlyTheNodesImageAndDocumentFileAreSharedAndInTheMediaLane() {
        let nodes = SyncTree.tree.nodes
        #expect(nodes.filter(\.isShared).map(\.name) == ["document file", "image"])
        #expect(nodes.filter { $0.lane == .media }.map(\.name) == ["document file", "image"])
    }

    /// For each node, the requests of its list and those of one item.
    private static let requests: [String: (list: [String], item: [String])] = [
        "Sync": ([], ["GET ", "GET /partner/p/all"]),
        "estimate": ([], ["GET /partner/p/size"]),
        "user": ([], ["GET /me"]),
        "metadata": (
            [],
            [
                "GET /me",
                "PUT /partner/p/partner_flags key=last_folio_access&value=2026-11-18T11%3A06%3A40Z",
            ]
        ),
        "location": (
            ["GET /partner/p/locations?ids=1&private=true&size=all"],
            ["GET /partner/p/location/a%2Fb%3Fc%23d"]
        ),
        "location artworks": (
            ["GET /partner/p/artworks/all?ids=1&partner_location_id=a%2Fb&size=all"], []
        ),
        "artist": (["GET /partner/p/artists?ids=1&size=all"], ["GET /artist/a%2Fb%3Fc%23d"]),
        "artist documents": (
            ["GET /partner/p/artist/a%2Fb/documents?ids=1&size=all"],
            ["GET /partner/p/artist/a%2Fb/document/d%20e"]
        ),
        "document file": ([], ["GET /partner/p/show/a%2Fb/document/d%20e/file/plan.pdf"]),
        "artwork": (["GET /partner/p/artworks?ids=1&size=all"], ["GET /artwork/a%2Fb%3Fc%23d"]),
        "image": ([], ["GET /artwork/a/image/i/larger.jpg"]),
        "show": (["GET /partner/p/shows?ids=1&size=all"], ["GET /partner/p/show/a%2Fb%3Fc%23d"]),
        "show artworks": (["GET /partner/p/show/a%2Fb/artworks?ids=1&size=all"], []),
        "show documents": (
            ["GET /partner/p/show/a%2Fb/documents?ids=1&size=all"],
            ["GET /partner/p/show/a%2Fb/document/d%20e"]
        ),
        "installation shots": (["GET /partner_show/a%2Fb/images?default=0&page=1&size=20"], []),
        "show cover": (["GET /partner_show/a%2Fb/images?default=1&page=1&size=20"], []),
        "album edits": (
            [],
            [
                #"PUT /partner/p/album/known {"name":"Renamed"}"#, #"POST /partner/p/album {"name":"Mine"}"#,
                "POST /partner/p/album/mine/artwork/w%2F1",
            ]
        ),
        "album deletions": ([], ["DELETE /partner/p/album/gone"]),
        "album": (["GET /partner/p/albums?ids=1&size=all"], ["GET /partner/p/album/a%2Fb%3Fc%23d"]),
        "album artworks": (["GET /partner/p/album/a%2Fb/artworks?ids=1&size=all"], []),
    ]

    @Test func theTableOfExpectedRequestsHasEveryNodeOfTheTree() {
        #expect(SyncTree.tree.nodes.map(\.name).sorted() == Self.requests.keys.sorted())
    }

    @Test(arguments: requests.keys.sorted())
    func eachNodeReportsItsRequestsWithoutSendingThem(node: String) async throws {
        let fixture = try StepFixture()
        let (list, item) = try await Self.described(node, fixture)
        #expect(list == Self.requests[node]?.list)
        #expect(item == Self.requests[node]?.item)
        #expect(fixture.transport.requests.isEmpty, "nothing was sent")
    }

    private static func described(_ node: String, _ fixture: StepFixture) async throws -> (
        list: [String], item: [String]
    ) {
        let tree = fixture.tree, partner = fixture.partner, context = fixture.context(node)
        func listed<Output>(_ type: ObjectStep<Output>.Type) throws -> ([String], [String]) {
            let step = try #require(tree.step(node, as: type))
            return (
                try step.lines(expanding: partner, in: context),
                try step.lines(performing: fixture.listed("a/b?c#d"), in: context)
            )
        }
        func once<S: Step>(_ type: S.Type, _ item: S.Item) throws -> ([String], [String])
        where S.Operation == any RequestOperation, S.Environment == SyncEnvironment {
            ([], try #require(tree.step(node, as: type)).lines(performing: item, in: context))
        }
        func under<S: Step>(_ type: S.Type, _ kind: Kind) throws -> ([String], [String])
        where S.Operation == any RequestOperation, S.Input == OwnerLists, S.Environment == SyncEnvironment {
            (
                try #require(tree.step(node, as: type)).lines(
                    expanding: fixture.owner(kind, "a/b"), in: context), []
            )
        }
        func documents(_ kind: Kind) throws -> ([String], [String]) {
            let step = try #require(tree.step(node, as: DocumentsStep.self))
            let item = DocumentsStep.Item(
                owner: Owner(kind, "a/b"), id: "d e", stored: nil, isVouched: false)
            return (try under(DocumentsStep.self, kind).0, try step.lines(performing: item, in: context))
        }
        switch node {
        case "Sync": return try once(PartnerStep.self, "p")
        case "estimate": return try once(EstimateStep.self, partner)
        case "user": return try once(UserStep.self, partner)
        case "metadata":
            return try once(MetadataStep.self, partner)
        case "location": return try listed(ObjectStep<OwnerLists>.self)
        case "artist": return try listed(ObjectStep<OwnerLists>.self)
        case "artwork": return try listed(ObjectStep<Pictures>.self)
        case "show": return try listed(ObjectStep<OwnerLists>.self)
        case "album": return try listed(ObjectStep<OwnerLists>.self)
        case "location artworks": return try under(MembersStep.self, .location)
        case "show artworks": return try under(MembersStep.self, .show)
        case "album artworks": return try under(MembersStep.self, .album)
        case "artist documents": return try documents(.artist)
        case "show documents": return try documents(.show)
        case "installation shots", "show cover": return try under(ShowImagesStep.self, .show)
        case "image":
            let step = try #require(tree.step(node, as: ImageStep.self))
            let items = try await step.expand(fixture.pictures, in: fixture.context(node)).collect()
            return ([], try items.flatMap { try step.lines(performing: $0, in: context) })
        case "document file":
            return try once(DocumentFileStep.self, fixture.document)
        case "album edits":
            try await fixture.editAlbums()
            return try once(AlbumPushStep.self, partner)
        case "album deletions":
            try await fixture.editAlbums()
            return try once(AlbumPushStep.self, partner)
        default: throw UnknownNode(name: node)
        }
    }

    private struct UnknownNode: Error { let name: String }
}
