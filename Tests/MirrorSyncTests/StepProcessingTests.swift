import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import OperationTree
import Testing

@testable import MirrorSync

/// The steps of objects and lists, each run without a tree: what they store and output for an answer. The scripted transport
/// fails on any request that isn't expected.
@Suite("Steps: objects and lists", .fewAtATime) struct StepProcessingTests {
    let fixture: StepFixture

    init() throws { fixture = try StepFixture() }

    // MARK: - The partner

    @Test func thePartnerStepStoresThePartnerAndItsIDReplacesTheSlug() async throws {
        fixture.transport.expect("GET", "", .text(#"{"extensions":["validators"]}"#))
        fixture.transport.expect("GET", "/partner/p/all", .text(#"{"id":"1","slug":"p","name":"P"}"#))
        let identified = try await PartnerStep.identify(fixture.environment)
        #expect(identified.partnerID == "1")
        #expect(identified.hasValidators)
        #expect(try await fixture.commit() == ["partner 1 created"])
        try fixture.transport.verify()
    }

    @Test func aSyncOfAnUnknownPartnerFails() async throws {
        fixture.transport.expect("GET", "", .text("{}", status: 404))
        fixture.transport.expect("GET", "/partner/p/all", .text("{}", status: 404))
        await #expect {
            try await PartnerStep.identify(fixture.environment)
        } throws: {
            ($0 as? SyncError)?.code == .unknownPartner
        }
    }

    @Test func anEstimateStepNotesTheSizeThatTheServerStates() async throws {
        fixture.transport.expect("GET", "/partner/p/size", .text(#"{"total":123}"#))
        _ = try await EstimateStep().perform(fixture.partner, in: fixture.context("estimate"))
        #expect(fixture.environment.report.current.statedSize == 123)
    }

    @Test func withoutMediaAnEstimateStepSendsNoRequest() async throws {
        let bare = try StepFixture { $0.media = false }
        #expect(
            try await EstimateStep().expand(bare.partner, in: bare.context("estimate")).collect().isEmpty)
    }

    @Test func aServerWithoutUsersIsNotAFailure() async throws {
        fixture.transport.expect("GET", "/me", .text("{}", status: 404))
        _ = try await UserStep().perform(fixture.partner, in: fixture.context("user"))
        #expect(try await fixture.commit() == [])
        #expect(fixture.environment.report.current.notSupported == ["me"])
    }

    @Test func aUserStepStoresTheUser() async throws {
        fixture.transport.expect("GET", "/me", .text(#"{"id":"u","name":"Ann"}"#))
        _ = try await UserStep().perform(fixture.partner, in: fixture.context("user"))
        #expect(try await fixture.commit() == ["user u created"])
    }

    @Test(arguments: [("admin", 0), ("user", 1)])
    func aSyncSetsTheLastAccessFlagUnlessTheUserIsAnAdmin(type: String, flags: Int) async throws {
        fixture.transport.expect("GET", "/me", .text("{\"id\":\"u\",\"type\":\"\(type)\"}"))
        if flags > 0 { fixture.transport.expect("PUT", "/partner/p/partner_flags", .text("{}")) }
        _ = try await MetadataStep().perform(fixture.partner, in: fixture.context("metadata"))
        #expect(try await fixture.commit().count == flags)
        try fixture.transport.verify()
    }

    // MARK: - Objects

    @Test func anArtworkStepStoresTheArtworkAndOutputsItsPictures() async throws {
        fixture.transport.expect(
            "GET", "/artwork/a",
            .text(
                #"{"id":"a","title":"A","images":[{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["larger"]}]}"#,
                etag: "\"1\""))
        let outputs = try await ObjectStep(pictured: .artwork).perform(
            fixture.listed("a"), in: fixture.context("artwork"))
        #expect(outputs.map(\.owner) == [Owner(.artwork, "a")])
        #expect(outputs.first?.images.map(\.id) == ["i"])
        #expect(try await fixture.commit() == ["artwork a created"])
        try fixture.transport.verify()
    }

    @Test func withoutMediaAnArtworkStepOutputsNothing() async throws {
        let bare = try StepFixture { $0.media = false }
        bare.transport.expect(
            "GET", "/artwork/a", .text(#"{"id":"a","images":[{"id":"i","image_versions":["larger"]}]}"#))
        let outputs = try await ObjectStep(pictured: .artwork).perform(
            bare.listed("a"), in: bare.context("artwork"))
        #expect(outputs.isEmpty)
        #expect(try await bare.commit() == ["artwork a created"])
    }

    @Test func anUnchangedObjectIsNotWrittenAndTheListsUnderItAreRequested() async throws {
        fixture.transport.expect("GET", "/partner/p/show/s", .notModified(etag: "\"1\""))
        let outputs = try await ObjectStep(.show).perform(
            fixture.listed("s", known: "\"1\""), in: fixture.context("show"))
        #expect(outputs.map(\.owner) == [Owner(.show, "s")])
        #expect(try await fixture.commit() == [])
        #expect(fixture.transport.requests.first?.headers["If-None-Match"] == "\"1\"")
    }

    @Test func stepsOfOtherKindsOutputTheObjectAsAnOwnerOfLists() async throws {
        fixture.transport.expect("GET", "/artist/x", .text(#"{"id":"x","name":"X"}"#))
        fixture.transport.expect("GET", "/partner/p/album/m", .text(#"{"id":"m","name":"M"}"#))
        fixture.transport.expect("GET", "/partner/p/location/l", .text(#"{"id":"l","name":"L"}"#))
        let context = fixture.context("any")
        let artist = try await ObjectStep(.artist).perform(fixture.listed("x"), in: context)
        let album = try await ObjectStep(.album).perform(fixture.listed("m"), in: context)
        let location = try await ObjectStep(.location).perform(fixture.listed("l"), in: context)
        #expect(
            (artist + album + location).map(\.owner)
                == [Owner(.artist, "x"), Owner(.album, "m"), Owner(.location, "l")])
        #expect(try await fixture.commit() == ["artist x created", "album m created", "location l created"])
    }

    @Test(arguments: [
        ScriptedAnswer.text(#"{"id":"b"}"#), .text("{}", status: 404), .text(#"{"name":"no id"}"#),
    ])
    func anObjectsFailureThatARetryCannotFixIsALastingFailure(answer: ScriptedAnswer) async throws {
        fixture.transport.expect("GET", "/artwork/a", answer)
        await #expect(throws: LastingFailure.self) {
            try await ObjectStep(pictured: .artwork).perform(
                fixture.listed("a"), in: fixture.context("artwork"))
        }
        #expect(try await fixture.commit() == [])
    }

    @Test func aListedObjectThatTheServerDoesNotHaveIsReported() async throws {
        fixture.transport.expect("GET", "/artist/x", .text("{}", status: 404))
        _ = try? await ObjectStep(.artist).perform(fixture.listed("x"), in: fixture.context("artist"))
        #expect(fixture.environment.report.current.notFound == [.artist: [ExactText("x")]])
    }

    // MARK: - Lists

    @Test func anOwnListIsStoredAndItsMembersKeepTheListsOrder() async throws {
        fixture.transport.expect("GET", "/partner/p/artworks?ids=1&size=all", .text(#"["b","a",7]"#))
        let step = ObjectStep(pictured: .artwork)
        let expansion = try await step.expand(fixture.partner, in: fixture.context("artwork"))
        #expect(expansion.count == 3)
        #expect(try await expansion.collect().map(\.id) == ["b", "a", "7"])
        #expect(expansion.isComplete)
        let state = try fixture.store.listState(step.listIdentity(of: fixture.partner))
        #expect(state?.complete == true && state?.members == 3)
    }

    @Test func aServerWithoutAlbumsHasAnIncompleteAlbumListAndNoFailure() async throws {
        fixture.transport.expect("GET", "/partner/p/albums?ids=1&size=all", .text("{}", status: 404))
        let expansion = try await ObjectStep(.album).expand(fixture.partner, in: fixture.context("album"))
        #expect(try await expansion.collect().isEmpty)
        #expect(!expansion.isComplete)
    }

    @Test func membershipsAreStoredOnlyAtTheEndOfTheRun() async throws {
        try await fixture.put(StepFixture.record(.show, Show.self, #"{"id":"s"}"#))
        fixture.transport.expect("GET", "/partner/p/show/s/artworks?ids=1&size=all", .text(#"["b","a"]"#))
        let step = MembersStep(of: .show), scope = fixture.owner(.show, "s")
        let items = try await step.expand(scope, in: fixture.context("show artworks")).collect()
        #expect(items.isEmpty)
        _ = try await fixture.commit()
        let state = try fixture.store.listState(step.listIdentity(of: scope))
        #expect(state?.pending == true && state?.members == 2)
        #expect(try fixture.store.members(of: Owner(.show, "s")) == [])
    }
}
