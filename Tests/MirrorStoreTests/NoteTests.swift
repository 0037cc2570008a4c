import Catalogue
import Testing

@testable import MirrorStore

@Suite("Notes") struct NoteTests {
    let test: TestStore
    let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
        try test.put(.make(.artwork, "a"), .make(.show, "s", location: "ghost"), run: run)
    }

    @Test func aNoteCanBeAddedEditedAndRemoved() throws {
        let first = try #require(try test.store.addNote("One", to: .artwork, "a"))
        let second = try #require(try test.store.addNote("Two", to: .show, "s"))
        #expect(try test.store.notes().map(\.text) == ["One", "Two"])
        #expect(try test.store.notes(of: .show).map(\.number) == [second])
        #expect(try test.store.notes(of: .artwork, "a").first?.editedAt == nil)
        #expect(try test.store.editNote(first, text: "Other"))
        let edited = try #require(try test.store.notes(of: .artwork, "a").first)
        #expect(edited.text == "Other" && edited.editedAt != nil && edited.isHere)
        #expect(try test.store.removeNote(first))
        #expect(try !test.store.removeNote(first) && !test.store.editNote(first, text: "x"))
        #expect(try test.store.noteCount() == 1)
        let third = try #require(try test.store.addNote("Three", to: .artwork, "a"))
        #expect(third > second, "a number is never used twice")
    }

    @Test func anObjectThatIsNotStoredCannotHaveANote() throws {
        #expect(try test.store.addNote("x", to: .artwork, "none") == nil)
        #expect(try test.store.addNote("x", to: .location, "ghost") == nil)
        try test.put(.make(.album, "m"), run: run)
        #expect(try test.store.deleteAlbum("m"))
        #expect(try test.store.addNote("x", to: .album, "m") == nil)
    }

    @Test func aNoteStaysWhenItsObjectIsDeleted() throws {
        _ = try test.store.addNote("Kept", to: .artwork, "a")
        _ = try test.store.apply([.tombstone(kind: .artwork, id: "a", evidence: "since")], run: run)
        let note = try #require(try test.store.notes().first)
        #expect(note.text == "Kept" && !note.isHere)
    }

    @Test func aNoteFollowsAnAlbumToItsServerID() throws {
        try test.store.createAlbum(.make(.album, "local"), key: "k")
        _ = try test.store.addNote("Mine", to: .album, "local")
        try test.store.acknowledgeAlbum("local", with: .make(.album, "server"), edit: 1, run: run)
        #expect(try test.store.notes(of: .album, "server").map(\.isHere) == [true])
    }
}
