import Foundation
import GRDB

/// Looks at a SQLite file before anything that may change it opens it.
///
/// Through SQLite, never by reading the file: closing any descriptor of it would let go of all locks that this process
/// holds on it, in whatever connection (POSIX locks belong to the process), and another program would take the database
/// for unused.
enum StoreFormat {
    static func check(_ file: ReadingFile) throws {
        let path = file.path
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        do {
            let queue = try DatabaseQueue(path: file.name, configuration: configuration)
            defer { try? queue.close() }
            try queue.read { try checkHeader($0, path) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw StoreError(
                .damaged, "\(path) is not a SQLite database. Move it aside and run the command again.")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // Whoever wrote it was killed before it had a write-ahead log. What was begun is rolled back by the next who may
            // write, and looked at then.
            return
        }
    }

    private static func checkHeader(_ db: Database, _ path: String) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
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

    /// A file that says nothing of its program is ours only if it is empty.
    ///
    /// - Parameter isReadOnly: the file can't be brought to this version's format.
    /// - Returns: which version's format it has; 0 for an empty one.
    static func check(_ db: Database, _ path: String, isReadOnly: Bool) throws -> Int32 {
        let isMarked = try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID
        guard try isMarked || Schema.isEmpty(db) else {
            throw StoreError(.notOurs, "\(path) belongs to another program. Choose another --home.")
        }
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard !isReadOnly || version >= Schema.version else {
            throw StoreError(
                .readOnly,
                "\(path) was made by an earlier version of mirror (format \(version), this one reads \(Schema.version)). Run mirror status once as somebody who may write it."
            )
        }
        return version
    }
}
