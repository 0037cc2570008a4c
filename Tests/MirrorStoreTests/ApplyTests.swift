import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Applying a server's objects")
struct ApplyTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    @Test func applyingTheSameObjectTwiceWritesNothing() throws {
        let run = try test.beginRun()
        let record = ObjectRecord.make(.artwork, "a", etag: "\"1\"", artists: ["x"], images: ["i"])
        #expect(try test.put(record, run: run) == [.created])
        let generation = try test.store.generation()
        #expect(try test.put(record, run: run) == [.unchanged])
        #expect(try test.store.generation() == generation)
    }

    @Test func anUpdateLogsTheEarlierState() throws {
        let run = try test.beginRun()
        try test.put(.make(.artist, "x", name: "Before"), run: run)
        #expect(try test.put(.make(.artist, "x", name: "After"), run: run) == [.updated])
        let before: String? = try test.scalar("SELECT before FROM change WHERE action = 'update'")
        #expect(before == #"{"id":"x","name":"Before"}"#)
    }

    @Test func aNewETagForTheSameBodyIsStoredWithoutALoggedChange() throws {
        let run = try test.beginRun()
        try test.put(.make(.artist, "x", etag: "\"1\""), run: run)
        #expect(try test.put(.make(.artist, "x", etag: "\"2\""), run: run) == [.unchanged])
        #expect(try test.scalar("SELECT etag FROM artist") == "\"2\"")
        #expect(try test.scalar("SELECT count(*) FROM change") == 1)
    }

    @Test func aReferenceToAnObjectThatIsNotStoredCreatesAGhost() throws {
        let run = try test.beginRun()
        try test.put(.make(.artwork, "a", artists: ["x", "y"]), .make(.show, "s", location: "l"), run: run)
        #expect(try test.ids(.artist, ghosts: true) == ["x", "y"])
        #expect(try test.ids(.location, ghosts: true) == ["l"])
        #expect(try test.scalar("SELECT name FROM artist WHERE id = 'x'") == "Inaccessible")
        #expect(try test.put(.make(.artist, "x", name: "Known"), run: run) == [.created])
        #expect(try test.ids(.artist) == ["x"])
        #expect(try test.store.counts()[.artist] == 1)
    }

    @Test func aFileStaysWhileItsPictureIsInTheOwnersJSON() throws {
        let run = try test.beginRun()
        let file = StoredFile(
            hash: String(repeating: "a", count: 64), size: 3, path: "media/aa/a.jpg", type: "image/jpeg")
        try test.put(.make(.artwork, "a", images: ["i", "j"]), run: run)
        let record = FileRecord(
            .image("i", format: "larger", role: .picture, of: Owner(.artwork, "a")), entry: "e1", file: file,
            etag: nil, lastModified: nil)
        #expect(try test.store.apply([.file(record)], run: run) == [.updated])
        #expect(try test.store.ownersMissingFiles(.artwork, ids: ["a"], formats: .largest) == ["a"])
        try test.put(.make(.artwork, "a", name: "Renamed", images: ["i"]), run: run)
        #expect(
            try test.store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?.file == file)
        #expect(try test.store.ownersMissingFiles(.artwork, ids: ["a"], formats: .largest).isEmpty)
        #expect(try test.store.ownersMissingFiles(.artwork, ids: ["a"], formats: ["square"]) == ["a"])
        #expect(try test.store.ownersMissingFiles(.artwork, ids: ["a"], formats: ["normalized"]).isEmpty)
    }

    @Test func picturesThatWereNeverRequestedAreCounted() throws {
        let run = try test.beginRun()
        try test.put(
            .make(.artwork, "a", images: ["i", "j"]), .make(.artwork, "b", images: ["k"]),
            .make(.artwork, "c"), run: run)
        func toFetch(_ formats: PictureFormats) throws -> [Int] {
            let found = try test.store.picturesToFetch(of: .artwork, formats: formats)
            return [found.owners, found.pictures]
        }
        #expect(try toFetch(.largest) == [2, 3])
        for (owner, image, hasFile) in [("a", "i", true), ("b", "k", false)] {
            let file = StoredFile(
                hash: String(repeating: "a", count: 64), size: 3, path: "media/aa/a.jpg", type: nil)
            let record = FileRecord(
                .image(image, format: "larger", role: .picture, of: Owner(.artwork, owner)), entry: "e1",
                file: hasFile ? file : nil, etag: nil, lastModified: nil)
            _ = try test.store.apply([.file(record)], run: run)
        }
        // A picture that the server doesn't have is no longer requested.
        #expect(try toFetch(.largest) == [1, 1])
        #expect(try toFetch(["larger"]) == [1, 1] && toFetch(["square", "larger"]) == [2, 4])
        // No picture offers it.
        #expect(try toFetch(["normalized"]) == [0, 0])
        #expect(try test.store.picturesToFetch(of: .show, formats: .largest).pictures == 0)
    }

    @Test func anUnavailablePictureIsRequestedAgainAfterADay() throws {
        let run = try test.beginRun()
        try test.put(.make(.artwork, "a", images: ["i"]), run: run)
        let owner = Owner(.artwork, "a")
        let record = FileRecord(
            .image("i", format: "larger", role: .picture, of: owner), entry: "e1", file: nil, etag: nil,
            lastModified: nil)
        func isRecent() throws -> [Bool] {
            [
                try test.store.imageFiles(of: owner, role: .picture)["i"]?["larger"]?.isRecent == true,
                try test.store.ownersMissingFiles(.artwork, ids: ["a"], formats: .largest).isEmpty,
            ]
        }
        _ = try test.store.apply([.file(record)], run: run)
        #expect(try isRecent() == [true, true])
        test.pass(86_399)
        #expect(try isRecent() == [true, true])
        test.pass(2)
        #expect(try isRecent() == [false, false])
        // After the clock was set back, the time of the request is in the future, and doesn't count.
        test.pass(-2 * 86_400)
        #expect(try isRecent() == [false, false])
    }

    @Test(arguments: [
        "../../etc/passwd", "a/b?c#d", "🖼️", String(repeating: "x", count: 10_240),
        "'; DROP TABLE artwork; --",
    ])
    func unusualIDsAreStoredUnchanged(id: String) throws {
        let run = try test.beginRun()
        try test.list(.artwork, [id], run: run)
        try test.put(.make(.artwork, id), run: run)
        _ = try test.members(Owner(.location, "l"), [id], run: run)
        _ = try test.finish(run)
        #expect(try test.ids(.artwork) == [id])
        #expect(try test.store.ownersMissingFiles(.artwork, ids: [id], formats: .largest).isEmpty)
        #expect(try test.store.served(.artwork, id) != nil)
    }

    @Test func foreignKeysAreEnabledAndNotViolated() throws {
        let run = try test.beginRun()
        try test.put(.make(.artwork, "a", artists: ["x"]), run: run)
        let on: Int? = try test.scalar("PRAGMA foreign_keys")
        #expect(on == 1)
        let violations = try test.store.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count }
        #expect(violations == 0)
    }

    @Test func equalObjectsAreServedWithEqualETags() throws {
        let run = try test.beginRun()
        let other = try TestStore()
        try test.put(.make(.artist, "x", etag: "\"one\""), run: run)
        try other.put(.make(.artist, "x", etag: "\"two\""), run: try other.beginRun())
        #expect(try test.store.served(.artist, "x")?.etag == other.store.served(.artist, "x")?.etag)
    }
}
