import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// A migrated database has the same tables, columns and indexes as a new one.
@Suite("Databases of earlier formats")
struct EarlierFormatTests {
    @Test func aMigratedDatabaseHasTheSchemaOfANewOne() throws {
        let new = try schema { try Schema.prepare($0) }
        #expect(new == (try schema { try Schema.migrator.migrate($0) }))
        #expect(new.count > 60 && new.contains { $0.contains("linked") })
    }

    /// The database is created by the SQL of version 7 itself, which doesn't depend on the current migrations.
    @Test func aMigratedDatabaseOfFormatSevenHasTheSchemaOfANewOne() throws {
        let new = try schema { try Schema.prepare($0) }
        let old = try schema { queue in
            try queue.write { try $0.execute(sql: Self.formatSeven) }
            try Schema.prepare(queue)
        }
        for (old, new) in zip(old, new) { #expect(old == new) }
        #expect(old.count == new.count)
    }

    @Test func aPendingAlbumEditSurvivesTheMigrationFromFormatSeven() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: Self.formatSeven)
            try db.execute(
                sql: """
                    INSERT INTO artwork (id) VALUES ('a');
                    INSERT INTO album (id) VALUES ('m'), ('n');
                    INSERT INTO album_artwork (album_id, position, artwork_id, pending, listed, sent) VALUES
                      ('m', 0, 'a', 'add', 0, 1), ('n', 0, 'a', NULL, 1, 0)
                    """)
        }
        try Schema.prepare(queue)
        let waiting = try queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT album_id FROM album_artwork INDEXED BY album_artwork_pending WHERE pending IS NOT NULL
                    """)
        }
        #expect(waiting == ["m"])
    }

    /// The columns, foreign keys and indexes of each table, as SQLite reports them.
    private func schema(_ make: (DatabaseQueue) throws -> Void) throws -> [String] {
        let queue = try DatabaseQueue()
        try make(queue)
        return try queue.read { db in
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            return try names.flatMap { name in
                try [
                    "SELECT * FROM pragma_table_xinfo(?) ORDER BY name",
                    "SELECT * FROM pragma_foreign_key_list(?)",
                    "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?) ORDER BY name",
                    "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? ORDER BY name",
                ].map { sql in
                    let rows = try Row.fetchAll(db, sql: sql, arguments: [name])
                    return "\(name): \(rows.map(\.description).joined(separator: "; "))"
                }
            }
        }
    }

    private static let formatSeven: String = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "format-7.sql")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }()
}
