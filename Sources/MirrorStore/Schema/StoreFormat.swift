import Foundation
import GRDB

/// Looks at a SQLite file's header before anything opens, and so perhaps changes, it.
///
/// `application_id` stands at byte 68 and `user_version` at byte 60 (SQLite file format, section 1.3).
enum StoreFormat {
    static func check(_ path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { return }
        defer { try? file.close() }
        guard let header = try file.read(upToCount: 100), !header.isEmpty else { return }
        guard header.count == 100, header.starts(with: Data("SQLite format 3\0".utf8)) else {
            throw StoreError(
                .damaged, "\(path) is not a SQLite database. Move it aside and run the command again.")
        }
        let application = integer(header, at: 68)
        let version = integer(header, at: 60)
        if application == 0, version == 0 { return }
        guard application == Schema.applicationID else {
            throw StoreError(.notOurs, "\(path) belongs to another program. Choose another --home.")
        }
        guard version <= Schema.version else {
            throw StoreError(
                .newerVersion,
                "\(path) was made by a newer version of mirror (format \(version), this one knows \(Schema.version)). Update mirror to open it."
            )
        }
    }

    /// A file that says nothing of its program is ours only if it is empty; beside somebody who is just making it, it has
    /// the list of migrations first.
    static func check(_ db: Database, _ path: String) throws {
        let isMarked = try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID
        let tables =
            try Int.fetchOne(
                db,
                sql:
                    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations'")
            ?? 0
        guard isMarked || tables == 0 else {
            throw StoreError(.notOurs, "\(path) belongs to another program. Choose another --home.")
        }
    }

    private static func integer(_ data: Data, at offset: Int) -> Int32 {
        Int32(bitPattern: data[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
