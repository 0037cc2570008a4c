import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Repairing a store") struct StoreRepairTests {
    /// The sync that follows a repair may be stopped. The next one must still fetch what is missing.
    @Test func aRepairOfTheStoreMarksListsAsUncleanAndKeepsTheWantedFormats() throws {
        let test = try TestStore()
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO list (url, owner_kind, owner_id, name, etag, complete, clean_etag, clean_formats)
                    VALUES ('/l', 'partner', 'p', 'artworks', '"e"', 1, '"e"', 'square')
                    """)
        }
        #expect(try test.store.repair().isEmpty)
        #expect(try test.store.wantedFormats() == "square")
        #expect(try test.store.listState("/l")?.cleanETag == nil)
    }

    @Test func aRepairOfTheStoreCreatesMissingIndexesAndTriggers() throws {
        let test = try TestStore()
        let schema = try test.schema()
        try test.store.write { try $0.execute(sql: "DROP INDEX artwork_refetch; DROP TRIGGER file_made") }
        #expect(
            try test.defects(.integrity) == [
                .partMissing(type: "index", name: "artwork_refetch"),
                .partMissing(type: "trigger", name: "file_made"),
            ])
        #expect(try test.store.repair().isEmpty)
        #expect(try test.defects(.integrity).isEmpty)
        #expect(try test.schema() == schema)
    }

    @Test(
        arguments: [
            ("DELETE FROM artwork_entry WHERE id = 'a'", [.notIndexed(.artwork, "a"), .indexDamaged]),
            ("DELETE FROM search_entry WHERE id = 'a'", [.notIndexed(.artwork, "a"), .indexDamaged]),
            ("DELETE FROM artwork_place_year WHERE place > 0", [.indexDamaged]),
            ("INSERT INTO artwork_place_title (number) VALUES (1)", [.indexDamaged]),
            ("INSERT INTO artwork_by_artist (artwork_by_artist) VALUES ('delete-all')", [.indexDamaged]),
            ("UPDATE artwork_by_change_data SET block = x'00' WHERE id > 10", [.indexDamaged]),
        ] as [(String, [StoreDefect])])
    func aDamagedIndexForListsIsFoundAndRebuilt(damage: String, defects: [StoreDefect]) throws {
        let fixture = try BrowsingFixture()
        #expect(try fixture.test.defects(.search).isEmpty)
        try fixture.store.write { try $0.execute(sql: damage) }
        #expect(try fixture.test.defects(.search) == defects)
        try fixture.store.rebuildSearchIndex()
        #expect(try fixture.test.defects(.search).isEmpty)
        #expect(try fixture.store.artworks(ArtworkQuery()).total == 11)
    }

    /// The file has no reference, and no row in `loose_file` from which a run would remove it.
    @Test func aRepairOfTheStoreFindsAnUnreferencedFileThatNoRunWouldRemove() throws {
        let test = try TestStore()
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO file (hash, size, path) VALUES ('00', 0, 'media/00/00'), ('01', 0, 'media/01/01');
                    DELETE FROM loose_file WHERE hash = '00'
                    """)
        }
        let file = StoredFile(hash: "00", size: 0, path: "media/00/00", type: nil)
        #expect(try test.defects(.files) == [.untracked(file)])
        #expect(try test.store.repair().isEmpty)
        #expect(try test.defects(.files).isEmpty)
        #expect(
            try test.store.read { try String.fetchAll($0, sql: "SELECT hash FROM loose_file ORDER BY hash") }
                == ["00", "01"])
    }
}

extension TestStore {
    fileprivate func defects(_ check: StoreCheck) throws -> [StoreDefect] {
        var found: [StoreDefect] = []
        try store.check(check) { found.append($0) }
        return found
    }

    /// The SQL statements of all tables, indexes and triggers.
    fileprivate func schema() throws -> Set<String> {
        try store.read { db in
            try Set(String.fetchAll(db, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        }
    }
}
