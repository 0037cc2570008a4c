import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite("The output of list --missing") struct MissingObjectTextTests {
    /// The objects that one complete list lacked, of a mirror of the artworks a and b.
    private func missing(absent: Bool) throws -> [MissingObject] {
        let home = try TemporaryHome(), folder = try home.mirror("test")
        // Its end deletes the folder.
        defer { withExtendedLifetime(home) {} }
        try folder.prepare()
        let store = try CatalogueStore.open(
            at: folder.database, now: { Date(timeIntervalSince1970: 1_795_000_000) })
        defer { try? store.close() }
        let run = try store.beginRun("sync")
        for id in ["a", "b"] {
            let artwork = try Artwork(text: #"{"id":"\#(id)","slug":"s-\#(id)","title":"The \#(id)"}"#)
            _ = try store.apply([.object(ObjectRecord(.artwork, artwork, etag: nil))], run: run)
        }
        let list = ListName(url: "/list", owner: Owner(.partner, "p"), name: "artworks")
        let draft = try store.begin(list)
        try store.append([(id: "a", etag: nil, lists: nil)], to: draft, at: 0)
        try store.commit(draft, answer: ListAnswer(list: list, etag: nil, date: nil), count: 1, run: run)
        #expect(try store.countAbsences(.artwork, run: run) == ["b"])
        try store.noteAnswer(.artwork, "b", isAbsent: absent)
        var found: [MissingObject] = []
        try store.missing(.artwork) { found.append($0) }
        return found
    }

    @Test func aMissingObjectIsPrintedWithTheDateAndTheNumberOfLists() throws {
        let id = "b".padded(to: 28)
        #expect(
            try missing(absent: false).map(\.line) == [
                "\(id)  The b  (missing since 2026-11-18, from one list)"
            ])
        #expect(
            try missing(absent: true).map(\.line) == [
                "\(id)  The b  (missing since 2026-11-18, from one list; the server doesn't have it)"
            ])
    }

    @Test func theJSONOfAMissingObjectHasTheDocumentedFields() throws {
        #expect(
            try missing(absent: true).map(\.json.canonicalText) == [
                #"{"absent":true,"ghost":false,"id":"b","kept":false,"kind":"artwork","lists":1,"missing_at":"2026-11-18T11:06:40.000Z","missing_since":"2026-11-18T11:06:40.000Z","name":"The b","slug":"s-b","type":"object"}"#
            ])
    }
}
