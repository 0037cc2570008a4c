import Catalogue
import GRDB
import Testing

@testable import MirrorStore

/// A file is deleted 30 days after its last use ended. Only files that lost a use are checked.
@Suite("Unused files")
struct FileReleaseTests {
    private let test: TestStore
    private let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
        try test.put(.make(.artwork, "a", images: ["i", "j"]), run: run)
        try assign("i", "one")
        try assign("j", "two")
        try collect()
    }

    private func assign(_ image: String, _ hash: String) throws {
        let file = StoredFile(hash: hash, size: 1, path: "media/\(hash)", type: nil)
        _ = try test.store.apply(
            [
                .file(
                    FileRecord(
                        .image(image, format: "square", role: .picture, of: Owner(.artwork, "a")), entry: "e",
                        file: file, etag: nil, lastModified: nil))
            ], run: run)
    }

    private func pictures(_ images: [String]) throws {
        try test.put(.make(.artwork, "a", name: "with \(images)", images: images), run: run)
    }

    @discardableResult
    private func collect() throws -> Int { try test.store.collectFiles(in: test.folder.files) }

    private func released() throws -> [String] {
        try test.store.read {
            try String.fetchAll($0, sql: "SELECT hash FROM file WHERE released_at IS NOT NULL ORDER BY hash")
        }
    }

    @Test func aFileInUseIsNotReleased() throws {
        #expect(try released() == [])
    }

    @Test func aFileIsDeletedThirtyDaysAfterItsPictureWasRemoved() throws {
        try pictures(["j"])
        try collect()
        #expect(try released() == ["one"])
        test.pass(29 * 86_400)
        #expect(try collect() == 0)
        test.pass(2 * 86_400)
        #expect(try collect() == 1)
        #expect(try test.scalar("SELECT group_concat(hash) FROM file") == "two")
    }

    @Test func aDeletedArtworkReleasesTheFilesOfItsPictures() throws {
        try test.store.pool.write { try $0.execute(sql: "DELETE FROM artwork WHERE id = 'a'") }
        try collect()
        #expect(try released() == ["one", "two"])
    }

    @Test func aPicturesNewFileReleasesItsEarlierOne() throws {
        try assign("i", "three")
        try collect()
        #expect(try released() == ["one"])
    }

    @Test func aFileThatAnotherPictureUsesIsNotReleased() throws {
        try assign("j", "one")
        try pictures(["j"])
        try collect()
        #expect(try released() == ["two"])
    }

    @Test func aReleasedFileCanBeUsedAndReleasedAgain() throws {
        try pictures(["j"])
        try collect()
        try pictures(["i", "j"])
        try assign("i", "one")
        try collect()
        #expect(try released() == [])
        try pictures(["j"])
        try collect()
        #expect(try released() == ["one"])
    }

    @Test func aFileOfAMissingDocumentIsReleased() throws {
        let file = StoredFile(hash: "three", size: 1, path: "media/three", type: nil)
        let record = FileRecord(
            .document("d", of: Owner(.artist, "x")), entry: "e", file: file, etag: nil, lastModified: nil)
        #expect(try test.store.apply([.file(record)], run: run) == [.ignored])
        try collect()
        #expect(try released() == ["three"])
    }

    @Test func migrationFindsFilesThatNothingUses() throws {
        let queue = try DatabaseQueue()
        try Schema.migrator.migrate(queue, upTo: "7")
        try queue.write {
            try $0.execute(
                sql: """
                    INSERT INTO artwork (id) VALUES ('a');
                    INSERT INTO image (pk, id, artwork_id, role, position, entry, json) VALUES (1, 'i', 'a', 'picture', 0, '', '');
                    INSERT INTO file (hash, size, path) VALUES ('used', 1, ''), ('loose', 1, '');
                    INSERT INTO image_file (image, format, hash, entry) VALUES (1, 'square', 'used', '')
                    """)
        }
        try Schema.prepare(queue)
        #expect(try queue.read { try String.fetchAll($0, sql: "SELECT hash FROM loose_file") } == ["loose"])
    }
}
