import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import OperationTree
import PartnerAPI
import Testing

@testable import MirrorSync

/// What each step makes of an answer, run by itself: no tree, no network. The transport holds that nothing else was sent.
@Suite("What a step makes of an answer") struct StepProcessingTests {
    let fixture: StepFixture

    init() throws { fixture = try StepFixture() }

    // MARK: - The partner

    @Test func thePartnerIsStoredAndItsIDReplacesTheSlug() async throws {
        fixture.transport.expect("GET", "", .text(#"{"extensions":["validators"]}"#))
        fixture.transport.expect("GET", "/partner/p/all", .text(#"{"id":"1","slug":"p","name":"P"}"#))
        let scopes = try await PartnerStep().perform(fixture.environment, in: fixture.context("Sync"))
        #expect(scopes.map(\.id) == ["1"])
        #expect(scopes.first?.hasValidators == true)
        #expect(try await fixture.commit() == ["partner 1 created"])
        try fixture.transport.verify()
    }

    @Test func anUnknownPartnerEndsTheRun() async throws {
        fixture.transport.expect("GET", "", .text("{}", status: 404))
        fixture.transport.expect("GET", "/partner/p/all", .text("{}", status: 404))
        await #expect {
            try await PartnerStep().perform(fixture.environment, in: fixture.context("Sync"))
        } throws: {
            ($0 as? SyncError)?.code == .unknownPartner
        }
    }

    @Test func whatTheServerSaysOfItsSizeIsNoted() async throws {
        fixture.transport.expect("GET", "/partner/p/size", .text(#"{"total":123}"#))
        _ = try await EstimateStep().perform(fixture.scope, in: fixture.context("estimate"))
        #expect(fixture.environment.report.current.statedSize == 123)
    }

    @Test func withoutMediaNoSizeIsAskedFor() async throws {
        let bare = try StepFixture { $0.media = false }
        #expect(
            try await EstimateStep().expand(bare.scope, in: bare.context("estimate")).collect().isEmpty)
    }

    @Test func aServerWithoutUsersIsNoFailure() async throws {
        fixture.transport.expect("GET", "/me", .text("{}", status: 404))
        _ = try await UserStep().perform(fixture.scope, in: fixture.context("user"))
        #expect(try await fixture.commit() == [])
        #expect(fixture.environment.report.current.notOffered == ["me"])
    }

    @Test func theUserIsStored() async throws {
        fixture.transport.expect("GET", "/me", .text(#"{"id":"u","name":"Ann"}"#))
        _ = try await UserStep().perform(fixture.scope, in: fixture.context("user"))
        #expect(try await fixture.commit() == ["user u created"])
    }

    @Test(arguments: [("admin", 0), ("user", 1)])
    func onlyVisitsOfAdminsLeaveNoFlag(type: String, flags: Int) async throws {
        fixture.transport.expect("GET", "/me", .text("{\"id\":\"u\",\"type\":\"\(type)\"}"))
        if flags > 0 { fixture.transport.expect("PUT", "/partner/p/partner_flags", .text("{}")) }
        _ = try await MetadataStep().perform(fixture.scope, in: fixture.context("metadata"))
        #expect(try await fixture.commit().count == flags)
        try fixture.transport.verify()
    }

    // MARK: - Objects

    @Test func anArtworkIsStoredAndPutsOutItsPictures() async throws {
        fixture.transport.expect(
            "GET", "/artwork/a",
            .text(
                #"{"id":"a","title":"A","images":[{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["larger"]}]}"#,
                etag: "\"1\""))
        let outputs = try await ArtworkStep().perform(fixture.listed("a"), in: fixture.context("artwork"))
        #expect(outputs.map(\.owner) == [Owner(.artwork, "a")])
        #expect(outputs.first?.pictures.map(\.id) == ["i"])
        #expect(try await fixture.commit() == ["artwork a created"])
        try fixture.transport.verify()
    }

    @Test func withoutMediaAnArtworkPutsOutNothing() async throws {
        let bare = try StepFixture { $0.media = false }
        bare.transport.expect(
            "GET", "/artwork/a", .text(#"{"id":"a","images":[{"id":"i","image_versions":["larger"]}]}"#))
        let outputs = try await ArtworkStep().perform(bare.listed("a"), in: bare.context("artwork"))
        #expect(outputs.isEmpty)
        #expect(try await bare.commit() == ["artwork a created"])
    }

    @Test func anUnchangedObjectIsNotWrittenButLookedUnder() async throws {
        fixture.transport.expect("GET", "/partner/p/show/s", .notModified(etag: "\"1\""))
        let outputs = try await ShowStep().perform(
            fixture.listed("s", known: "\"1\""), in: fixture.context("show"))
        #expect(outputs.map(\.owner) == [Owner(.show, "s")])
        #expect(try await fixture.commit() == [])
        #expect(fixture.transport.requests.first?.headers["If-None-Match"] == "\"1\"")
    }

    @Test func everyOtherKindPutsOutItsOwnScope() async throws {
        fixture.transport.expect("GET", "/artist/x", .text(#"{"id":"x","name":"X"}"#))
        fixture.transport.expect("GET", "/partner/p/album/m", .text(#"{"id":"m","name":"M"}"#))
        fixture.transport.expect("GET", "/partner/p/location/l", .text(#"{"id":"l","name":"L"}"#))
        let context = fixture.context("any")
        let artist = try await ArtistStep().perform(fixture.listed("x"), in: context)
        let album = try await AlbumStep().perform(fixture.listed("m"), in: context)
        let location = try await LocationStep().perform(fixture.listed("l"), in: context)
        #expect(
            (artist + album + location).map(\.owner)
                == [Owner(.artist, "x"), Owner(.album, "m"), Owner(.location, "l")])
        #expect(try await fixture.commit() == ["artist x created", "album m created", "location l created"])
    }

    @Test(arguments: [
        ScriptedAnswer.text(#"{"id":"b"}"#), .text("{}", status: 404), .text(#"{"name":"no id"}"#),
    ])
    func whatAnotherTryWouldOnlyRepeatIsFinal(answer: ScriptedAnswer) async throws {
        fixture.transport.expect("GET", "/artwork/a", answer)
        await #expect(throws: LastingFailure.self) {
            try await ArtworkStep().perform(fixture.listed("a"), in: fixture.context("artwork"))
        }
        #expect(try await fixture.commit() == [])
    }

    @Test func anObjectThatIsListedButNotFoundIsRemembered() async throws {
        fixture.transport.expect("GET", "/artist/x", .text("{}", status: 404))
        _ = try? await ArtistStep().perform(fixture.listed("x"), in: fixture.context("artist"))
        #expect(fixture.environment.report.current.notFound == [.artist: ["x"]])
    }

    // MARK: - Lists

    @Test func aListIsStoredWholeAndItsMembersComeInItsOrder() async throws {
        fixture.transport.expect("GET", "/partner/p/artworks?ids=1&size=all", .text(#"["b","a",7]"#))
        let step = ArtworkStep()
        let expansion = try await step.expand(fixture.scope, in: fixture.context("artwork"))
        #expect(expansion.count == 3)
        #expect(try await expansion.collect().map(\.id) == ["b", "a", "7"])
        #expect(expansion.isComplete)
        let state = try fixture.store.listState(step.listIdentity(of: fixture.scope))
        #expect(state?.complete == true && state?.members == 3)
    }

    @Test func aServerWithoutAlbumsHasAnIncompleteListAndNoFailure() async throws {
        fixture.transport.expect("GET", "/partner/p/albums?ids=1&size=all", .text("{}", status: 404))
        let expansion = try await AlbumStep().expand(fixture.scope, in: fixture.context("album"))
        #expect(try await expansion.collect().isEmpty)
        #expect(!expansion.isComplete)
    }

    @Test func membersWaitToBeJoinedUntilTheRunEnds() async throws {
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

    // MARK: - Documents and pictures

    @Test func documentsAreListedStoredAndPutOutWithTheirAddress() async throws {
        try await fixture.put(StepFixture.record(.artist, Artist.self, #"{"id":"x"}"#))
        fixture.transport.expect("GET", "/partner/p/artist/x/documents?ids=1&size=all", .text(#"["d"]"#))
        fixture.transport.expect(
            "GET", "/partner/p/artist/x/document/d", .text(#"{"id":"d","title":"D","size":3,"uri":"/d.pdf"}"#)
        )
        let step = DocumentsStep(), context = fixture.context("artist documents")
        let items = try await step.expand(fixture.owner(.artist, "x"), in: context).collect()
        #expect(items.map(\.id) == ["d"])
        let outputs = try await step.perform(try #require(items.first), in: context)
        #expect(outputs.map(\.uri) == ["/d.pdf"])
        #expect(outputs.map(\.size) == [3])
        #expect(try await fixture.commit().contains("document d created"))
        try fixture.transport.verify()
    }

    @Test func aDocumentsBytesBecomeAFileNamedByThem() async throws {
        try await fixture.put(StepFixture.record(.show, Show.self, #"{"id":"a/b"}"#))
        let source = fixture.document
        fixture.transport.expect("GET", source.uri, .response(body: Array("%PDF-1.4".utf8)))
        _ = try await DocumentFileStep().perform(source, in: fixture.context("document file"))
        let files = try fixture.folder.paths(under: "p/media")
        #expect(files.count == 1 && files[0].wholeMatch(of: #/../[0-9a-f]{64}.*/#) != nil)
    }

    @Test func installationShotsComeInPagesUntilAnEmptyOne() async throws {
        try await fixture.put(StepFixture.record(.show, Show.self, #"{"id":"s"}"#))
        let list = "/partner_show/s/images?default=0"
        fixture.transport.expect(
            "GET", "\(list)&page=1&size=20", .text(#"[{"id":"i","image_versions":["larger"]}]"#))
        fixture.transport.expect("GET", "\(list)&page=2&size=20", .text("[]"))
        let step = ShowImagesStep.installationShots, context = fixture.context("installation shots")
        let items = try await step.expand(fixture.owner(.show, "s"), in: context).collect()
        let outputs = try await step.perform(try #require(items.first), in: context)
        #expect(outputs.map(\.role) == [.installation])
        _ = try await fixture.commit()
        #expect(
            try fixture.store.storedImages(of: Owner(.show, "s"), role: .installation).map(\.id) == ["i"])
        #expect(try fixture.store.storedImages(of: Owner(.show, "s"), role: .cover).isEmpty)
        try fixture.transport.verify()
    }

    @Test func aPictureIsFetchedOnceForEachWantedFormat() async throws {
        let wanting = try StepFixture { $0.formats = ["square", "larger", "huge"] }
        let items = try await ImageStep().expand(wanting.pictures, in: wanting.context("image")).collect()
        #expect(items.map(\.format) == ["square", "larger"], "what is not offered is not asked for")
    }

    @Test func aPicturesBytesBecomeAFileOfItsRow() async throws {
        try await fixture.put(
            .artwork(
                artwork(#"{"id":"a","images":[{"id":"i","image_versions":["larger"]}]}"#), etag: nil))
        let step = ImageStep(), context = fixture.context("image")
        let items = try await step.expand(fixture.pictures, in: context).collect()
        fixture.transport.expect(
            "GET", "/artwork/a/image/i/larger.jpg", .response(body: [0xFF, 0xD8, 0xFF, 1]))
        _ = try await step.perform(try #require(items.first), in: context)
        _ = try await fixture.commit()
        let file = try fixture.store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?
            .file
        #expect(file?.size == 4)
        #expect(try fixture.folder.paths(under: "p").contains(try #require(file).path))
        #expect(fixture.environment.report.current.images.fetched == 1)
    }

    // MARK: - Albums

    @Test func albumsThatWereEditedHereArePushedAndThePartnerComesOutOnce() async throws {
        try await fixture.editAlbums()
        fixture.transport.expect(
            "PUT", "/partner/p/album/known", .text(#"{"id":"known","name":"Renamed"}"#))
        fixture.transport.expect(
            "POST", "/partner/p/album", .text(#"{"id":"new","name":"Mine"}"#, status: 201))
        fixture.transport.expect("POST", "/partner/p/album/new/artwork/w%2F1", .text("{}"))
        let outputs = try await AlbumEditsStep().perform(fixture.scope, in: fixture.context("album edits"))
        #expect(outputs.map(\.id) == ["p"])
        #expect(try fixture.store.pendingAlbums().isEmpty)
        try fixture.transport.verify()
    }

    @Test func anAlbumThatTheServerRefusesIsReportedByItself() async throws {
        try await fixture.editAlbums()
        fixture.transport.expect("PUT", "/partner/p/album/known", .text("{}", status: 422))
        fixture.transport.expect(
            "POST", "/partner/p/album", .text(#"{"id":"new","name":"Mine"}"#, status: 201))
        fixture.transport.expect("POST", "/partner/p/album/new/artwork/w%2F1", .text("{}"))
        let context = fixture.context("album edits")
        #expect(try await AlbumEditsStep().perform(fixture.scope, in: context).map(\.id) == ["p"])
        #expect(context.reported.map(\.item) == ["known"])
        try fixture.transport.verify()
    }

    @Test func anAlbumThatIsGoneAlreadyIsDeletedAllTheSame() async throws {
        try await fixture.editAlbums()
        fixture.transport.expect("DELETE", "/partner/p/album/gone", .text("{}", status: 404))
        let context = fixture.context("album deletions")
        #expect(try await AlbumDeletionsStep().perform(fixture.scope, in: context).map(\.id) == ["p"])
        #expect(context.reported.isEmpty)
        #expect(try fixture.store.pendingAlbumDeletions().isEmpty)
    }

    private func artwork(_ text: String) throws -> Artwork {
        var warnings: [FieldWarning] = []
        return try Artwork(StepFixture.json(text), warnings: &warnings)
    }
}

extension TemporaryFolder {
    /// Files under a folder within, relative to it, sorted.
    func paths(under name: String) throws -> [String] {
        let root = file(name)
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }
}
