import Catalogue
import Testing

@testable import MirrorStore

/// The server's list may be older than an earlier push, so neither its members nor missing members settle an edit.
@Suite("Additions to an album and removals from it, merged with the server's list")
struct AlbumArtworkEditTests {
    /// The album has `a` at the beginning; `b` and `c` are stored.
    struct Case: CustomTestStringConvertible {
        enum Edit: CustomStringConvertible {
            case add(String), remove(String), list([String]), sent(String, present: Bool)
            case acknowledged(String, present: Bool), refused(String, present: Bool), lost(String)

            var description: String {
                switch self {
                case .add(let artwork): "add \(artwork)"
                case .remove(let artwork): "remove \(artwork)"
                case .refused(let artwork, let present):
                    "the server refuses \(artwork) \(present ? "in" : "out")"
                case .list(let ids): "the server lists \(ids)"
                case .acknowledged(let artwork, let present):
                    "the server \(present ? "has" : "removed") \(artwork)"
                case .lost(let artwork): "the request for \(artwork) failed"
                case .sent(let artwork, let present): "\(artwork) \(present ? "in" : "out") is sent"
                }
            }
        }

        var edits: [Edit]
        var shown: [String], served: [String]
        var added: [String] = [], removed: [String] = []
        var testDescription: String { edits.map(\.description).joined(separator: ", ") }
    }

    static let cases = [
        Case(edits: [.list(["a", "c"])], shown: ["a", "c"], served: ["a", "c"]),
        Case(
            edits: [.add("b"), .list(["a", "c"])], shown: ["a", "c", "b"], served: ["a", "c"], added: ["b"]),
        Case(edits: [.remove("a"), .list(["a", "c"])], shown: ["c"], served: ["a", "c"], removed: ["a"]),
        Case(edits: [.remove("a"), .list(["c"])], shown: ["c"], served: ["c"], removed: ["a"]),
        Case(edits: [.add("b"), .list(["b", "a"])], shown: ["b", "a"], served: ["b", "a"], added: ["b"]),
        Case(edits: [.remove("a"), .list([]), .acknowledged("a", present: false)], shown: [], served: []),
        Case(
            edits: [.add("b"), .list(["a", "b"]), .acknowledged("b", present: true)], shown: ["a", "b"],
            served: ["a", "b"]),
        Case(edits: [.remove("a"), .list([]), .add("a")], shown: ["a"], served: [], added: ["a"]),
        Case(edits: [.remove("a"), .add("a")], shown: ["a"], served: ["a"]),
        Case(
            edits: [.add("b"), .list(["a", "b"]), .remove("b")], shown: ["a"], served: ["a", "b"],
            removed: ["b"]),
        Case(edits: [.add("b"), .remove("b")], shown: ["a"], served: ["a"]),
        Case(
            edits: [.remove("a"), .list([]), .acknowledged("a", present: true)], shown: [], served: ["a"],
            removed: ["a"]),
        Case(
            edits: [.add("b"), .list(["a", "b"]), .acknowledged("b", present: false)], shown: ["a", "b"],
            served: ["a"], added: ["b"]),
        Case(
            edits: [.add("b"), .refused("b", present: true), .list(["a", "b"])], shown: ["a", "b"],
            served: ["a", "b"]),
        Case(edits: [.remove("a"), .refused("a", present: false), .list([])], shown: [], served: []),
        Case(
            edits: [.add("b"), .list(["a", "b"]), .refused("b", present: true)], shown: ["a", "b"],
            served: ["a", "b"]),
        Case(edits: [.remove("a"), .list([]), .refused("a", present: false)], shown: [], served: []),
        // The answer is lost, so it is unknown whether the server made the edit.
        Case(
            edits: [.add("b"), .sent("b", present: true), .remove("b")], shown: ["a"], served: ["a"],
            removed: ["b"]),
        Case(
            edits: [.remove("a"), .sent("a", present: false), .add("a")], shown: ["a"], served: ["a"],
            added: ["a"]),
        Case(
            edits: [
                .add("b"), .sent("b", present: true), .list(["a"]), .remove("b"), .add("b"), .remove("b"),
            ],
            shown: ["a"],
            served: ["a"], removed: ["b"]),
        Case(
            edits: [
                .remove("a"), .sent("a", present: false), .list(["c", "a"]), .add("a"),
                .acknowledged("a", present: true),
            ],
            shown: ["c", "a"], served: ["c", "a"]),
        Case(
            edits: [
                .add("b"), .sent("b", present: true), .acknowledged("b", present: true), .remove("b"),
                .add("b"),
            ],
            shown: ["a", "b"], served: ["a", "b"]),
        Case(
            edits: [.add("b"), .sent("b", present: true), .refused("b", present: true), .remove("b")],
            shown: ["a"], served: ["a"]),
        // Another artwork or the opposite edit was sent.
        Case(
            edits: [.add("b"), .sent("a", present: true), .sent("b", present: false), .remove("b")],
            shown: ["a"], served: ["a"]),
        Case(
            edits: [.add("b"), .sent("b", present: true), .lost("b"), .remove("b")], shown: ["a"],
            served: ["a"]
        ),
        // The edit was reversed during the request.
        Case(
            edits: [.remove("a"), .sent("a", present: false), .add("a"), .refused("a", present: false)],
            shown: ["a"], served: ["a"], added: ["a"]),
        Case(
            edits: [
                .remove("a"), .sent("a", present: false), .acknowledged("a", present: false), .add("a"),
                .remove("a"),
            ], shown: [],
            served: []),
    ]

    @Test(arguments: cases)
    func anAlbumArtworkEditStaysPendingUntilItIsAcknowledged(_ example: Case) throws {
        let test = try TestStore(), album = Owner(.album, "m")
        var run = try test.beginRun()
        try test.put(
            .make(.artwork, "a"), .make(.artwork, "b"), .make(.artwork, "c"), .make(.album, "m"), run: run)
        _ = try test.members(album, ["a"], run: run)
        _ = try test.finish(run, kinds: [])
        for edit in example.edits {
            switch edit {
            case .add(let artwork):
                #expect(try test.store.editAlbum("m", artwork: artwork, present: true, newKey: { "key" }))
            case .remove(let artwork):
                #expect(try test.store.editAlbum("m", artwork: artwork, present: false, newKey: { "key" }))
            case .refused(let artwork, let present):
                try test.store.failAlbumArtwork(artwork, in: "m", present: present, reason: "no")
            case .acknowledged(let artwork, let present):
                try test.store.acknowledgeAlbumArtwork(artwork, in: "m", present: present)
            case .sent(let artwork, let present):
                _ = try test.store.recordArtworkPush(artwork, in: "m", present: present)
            case .lost(let artwork): try test.store.recordUnsentArtwork(artwork, in: "m")
            case .list(let ids):
                run = try test.beginRun()
                _ = try test.members(album, ids, run: run)
                _ = try test.finish(run, kinds: [])
            }
        }
        #expect(try test.store.find(.album, "m")?.artworks == example.shown)
        #expect(try test.store.members(of: album) == example.served)
        let pending = try test.store.pendingAlbums().first
        #expect(pending?.added ?? [] == example.added && pending?.removed ?? [] == example.removed)
        try test.store.check(.members) { Issue.record("\($0)") }
    }
}
