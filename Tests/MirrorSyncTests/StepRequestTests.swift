import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import Testing

@testable import MirrorSync

/// The form of a step's requests: validators, conditions and use of the cache.
@Suite("Steps: requests", .fewAtATime) struct StepRequestTests {
    @Test func withValidatorsOnlyOwnListsAreRequestedWithETags() throws {
        let fixture = try StepFixture(extensions: ["validators"])
        #expect(
            try ObjectStep(pictured: .artwork).lines(
                expanding: fixture.partner, in: fixture.context("artwork"))
                == ["GET /partner/p/artworks?ids=1&size=all&validators=1"])
        #expect(
            try MembersStep(of: .show).lines(
                expanding: fixture.owner(.show, "s"), in: fixture.context("show artworks"))
                == ["GET /partner/p/show/s/artworks?ids=1&size=all"],
            "lists under an object have no form with ETags")
    }

    @Test func aStoredObjectIsRequestedConditionally() throws {
        let fixture = try StepFixture()
        let operation = try #require(
            ObjectStep(pictured: .artwork).operations(
                performing: fixture.listed("a", known: "\"1\""), in: fixture.context("artwork")
            ).first)
        #expect(operation.knownETag == "\"1\"")
        #expect(try operation.request().cache == .use, "a fresh cached answer is used without a request")
    }

    @Test func aFullSyncRequestsObjectsWithoutCacheAndCondition() throws {
        let fixture = try StepFixture { $0.full = true }
        let operation = try #require(
            ObjectStep(pictured: .artwork).operations(
                performing: fixture.listed("a", known: "\"1\""), in: fixture.context("artwork")
            ).first)
        #expect(try operation.request().cache == .reload)
        #expect(operation.knownETag == nil, "the object is stored even if its ETag is equal")
    }

    @Test func listsAreNeverReadFromTheCache() throws {
        let fixture = try StepFixture()
        let lists =
            ObjectStep(pictured: .artwork).operations(
                expanding: fixture.partner, in: fixture.context("artwork"))
            + MembersStep(of: .album).operations(
                expanding: fixture.owner(.album, "m"), in: fixture.context("album artworks"))
        #expect(try lists.map { try $0.request().cache } == [.bypass, .bypass])
    }

    @Test func anObjectThatItsListVouchesForNeedsNoRequest() throws {
        let fixture = try StepFixture()
        #expect(
            ObjectStep(pictured: .artwork).operations(
                performing: fixture.listed("a", isVouched: true), in: fixture.context("artwork")
            ).isEmpty)
        let document = DocumentsStep.Item(
            owner: Owner(.show, "s"), id: "d", stored: nil, isVouched: true)
        #expect(
            DocumentsStep().operations(performing: document, in: fixture.context("show documents")).isEmpty)
    }

    @Test func aPOSTWithAnIdempotencyKeyIsNotMarkedAsIdempotent() async throws {
        let fixture = try StepFixture()
        try await fixture.editAlbums()
        let requests = try AlbumPushStep.edits.operations(
            performing: fixture.partner, in: fixture.context("album edits")
        ).map { try $0.request() }
        #expect(requests.map(\.method) == ["PUT", "POST", "POST"])
        #expect(requests.map { $0.headers["Idempotency-Key"] } == [nil, "key-1", nil])
        #expect(requests.map(\.isIdempotent) == [true, false, false])
    }
}
