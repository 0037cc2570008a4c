import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Missing documents, members and files", .limitedConcurrency)
struct MissingPartsTests {
    let partner = FakePartner { state in
        state.extensions = ["validators"]
        state.artist("x")
        state.lists["/partner/p/artist/x/documents"] = ["d1", "d2"]
        for id in ["d1", "d2"] {
            state.objects["/partner/p/artist/x/document/\(id)"] = #"{"id":"\#(id)","title":"\#(id)"}"#
        }
    }

    private func documents(_ mirror: TestMirror) throws -> [String] {
        try mirror.read { try $0.storedDocuments(of: Owner(.artist, "x")).map(\.id) }
    }

    @Test func aDocumentThatFailedIsFetchedByTheNextSync() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.overrides["/partner/p/artist/x/document/d2"] = .text("{}", status: 500) }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try documents(mirror) == ["d1"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try documents(mirror) == ["d1", "d2"])
    }

    @Test func aDocumentThatIsDeletedWhileItsListIsReadIsNoFailure() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.extensions = [] }
        try await mirror.sync()
        partner.change { state in
            let list = "/partner/p/artist/x/documents"
            state.objects["/partner/p/artist/x/document/d2"] = nil
            state.once["\(list)?ids=1&size=all"] = [.text(#"["d1","d2"]"#)]
            state.lists[list] = ["d1"]
        }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try documents(mirror) == ["d1"])
    }

    @Test func allPagesOfAListAreReadEvenIfTheFirstIsUnchanged() async throws {
        let mirror = try TestMirror(partner)
        let list = "/partner/p/album/m/artworks", first = #"[{"id":"a","title":"A"}]"#
        partner.change { state in
            for id in ["a", "b", "c"] { state.artwork(id) }
            state.album("m", [])
            state.overrides["\(list)?ids=1&size=all"] = .conditional(first, etag: "\"1\"")
            state.overrides["\(list)?page=1&size=20"] = .conditional(first, etag: "\"1\"")
            state.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"b"}]"#)
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        #expect(try await mirror.sync().outcome == .complete)
        partner.change { $0.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"c"}]"#) }
        #expect(try await mirror.sync { $0.full = true }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "c"])
    }

    @Test func anotherFormatOfAPictureIsFetchedEvenIfOneIsStored() async throws {
        let mirror = try TestMirror(partner)
        partner.change { state in
            let image =
                #"{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["square","larger"]}"#
            state.put(.artwork, "a", #"{"id":"a","title":"A","images":[\#(image)]}"#)
            for format in ["square", "larger"] {
                state.files["/artwork/a/image/i/\(format).jpg"] = [0xFF, 0xD8, 0xFF, UInt8(format.count)]
            }
        }
        try await mirror.sync { $0.formats = ["square"] }
        // Without another choice, the mirror keeps its formats.
        #expect(try await mirror.sync().objects["image"]?.created ?? 0 == 0)
        let summary = try await mirror.sync { $0.formats = .largest }
        #expect(summary.objects["image"]?.created == 1)
        let formats = try mirror.read {
            try $0.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?.keys.sorted()
        }
        #expect(formats == ["larger", "square"])
    }

    @Test func aLocalEditThatTheServerRefusedIsNotOverwritten() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.album("m", []) }
        try await mirror.sync()
        try mirror.read { store in
            let body = #"{"id":"m","name":"Mine"}"#
            let record = ObjectRecord(
                kind: .album, id: "m", values: [.null, .text("Mine"), .null, .null, .null], json: body,
                etag: nil)
            _ = try store.editAlbum("m", newKey: { "key" }) { _ in record }
        }
        partner.change { state in
            state.overrides["PUT /partner/p/album/m"] = .text(#"{"error":"name_taken"}"#, status: 422)
            state.put(.album, "m", #"{"id":"m","name":"Theirs","updated_at":"2020-01-01T00:00:00Z"}"#)
        }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.read { try $0.find(.album, "m")?.summary.name } == "Mine")
    }
}
