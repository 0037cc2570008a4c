import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Pushing local edits of albums", .fewAtATime)
struct AlbumPushTests {
    let partner = FakePartner { state in
        for id in ["a", "b"] { state.artwork(id) }
        state.album("m", ["a"])
    }

    private func record(_ id: String, _ name: String) -> ObjectRecord {
        let body = "{\"id\":\"\(id)\",\"name\":\"\(name)\",\"private\":true}"
        return ObjectRecord(
            kind: .album, id: id, values: [.null, .text(name), .null, .integer(1), .null], json: body,
            etag: nil)
    }

    @Test func aNewAlbumIsCreatedOnTheServerWithItsKey() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read { store in
            try store.createAlbum(record("local", "Mine"), key: "key-1")
            _ = try store.editAlbum("local", artwork: "b", present: true, newKey: { "key" })
        }
        partner.change { state in
            state.album("new", ["b"])
            let body = #"{"id":"new","name":"Mine","private":true}"#
            state.objects["/partner/p/album/new"] = body
            state.overrides["POST /partner/p/album"] = .text(body, status: 201, etag: FakePartner.etag(body))
            state.overrides["POST /partner/p/album/new/artwork/b"] = .text("{}")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(try mirror.ids(.album) == ["m", "new"])
        #expect(try mirror.read { try $0.members(of: Owner(.album, "new")) } == ["b"])
        #expect(partner.writes.contains(#"POST /partner/p/album {"name":"Mine","private":true}"#))
        #expect(try mirror.read { try $0.pendingAlbums() }.isEmpty)
    }

    @Test func anAlbumWhoseCreationGotNoAnswerIsFoundOnTheServer() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read { try $0.createAlbum(record("local", "Mine"), key: "key-1") }
        partner.change { state in
            state.album("new", [])
            state.objects["/partner/p/album/new"] = #"{"id":"new","name":"Mine","private":true}"#
            state.overrides["POST /partner/p/album"] = .failure(.connectionLost)
        }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.ids(.album) == ["m", "new"])
    }

    @Test func aRefusedAlbumDoesNotBlockOtherAlbums() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read { store in
            try store.createAlbum(record("bad", "Bad"), key: "key-1")
            _ = try store.deleteAlbum("m")
        }
        partner.change { state in
            state.overrides["POST /partner/p/album"] = .text(#"{"error":"name_taken"}"#, status: 422)
            state.overrides["DELETE /partner/p/album/m"] = .text("{}", status: 404)
            state.remove(.album, "m")
        }
        let summary = try await mirror.sync { $0.maxDelete = .total(10) }
        #expect(summary.outcome == .partial)
        #expect(summary.problems.contains { $0.kind == "album" && $0.id == "bad" })
        #expect(
            try mirror.ids(.album) == ["bad"],
            "the deletion was pushed, and the refused album stays in the mirror")
    }
}
