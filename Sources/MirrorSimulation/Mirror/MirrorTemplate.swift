import Foundation
import GRDB
import GRDBSQLite
import MirrorStore

/// A folder for mirrors, and an empty database with all its tables, from which each begins: to make them takes longer than
/// most histories.
package struct MirrorTemplate: Sendable {
    package let folder: String
    let schema: SchemaCheck.Schema

    /// - Parameter parent: where the folder is made; `nil` for memory where there is a file system in it, else the
    ///   system's temporary folder.
    /// - Throws: ``StoreError``, or what the file system says.
    package init(in parent: String? = nil) throws {
        let memory = "/dev/shm"
        let isThere = FileManager.default.isWritableFile(atPath: memory)
        let root = parent ?? (isThere ? memory : FileManager.default.temporaryDirectory.path)
        folder = "\(root)/mirror-histories-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        database = "\(folder)/template.sqlite"
        try CatalogueStore.open(at: database).close()
        schema = try Self.shrinkPages(database)
    }

    /// From now on no other process may look into a database that this one has open: so no lock has to be asked of the
    /// system for every statement, which takes a tenth of a history's time. For processes that do nothing else.
    package static func keepOthersOut() { sqlite3_vfs_register(sqlite3_vfs_find("unix-excl"), 1) }

    /// Pages of a quarter of the usual size: of a few objects, most of what is written to a page is empty.
    private static func shrinkPages(_ database: String) throws -> SchemaCheck.Schema {
        let file = try DatabaseQueue(path: database)
        try file.writeWithoutTransaction { db in
            for statement in ["journal_mode = DELETE", "page_size = 2048"] {
                try db.execute(sql: "PRAGMA \(statement)")
            }
            try db.execute(sql: "VACUUM")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
        }
        let schema = try file.read { try SchemaCheck.Schema($0) }
        try file.close()
        return schema
    }

    private let database: String

    /// A folder for what a mirror has beside its database.
    func folder(_ name: String) throws -> MirrorFolder {
        let mirror = try MirrorHome(path: "\(folder)/\(name)").mirror("p")
        try FileManager.default.createDirectory(atPath: mirror.path, withIntermediateDirectories: true)
        return mirror
    }

    /// The folder of a new mirror.
    func mirror(_ name: String) throws -> MirrorFolder {
        let mirror = try folder(name)
        try FileManager.default.copyItem(atPath: database, toPath: mirror.database)
        return mirror
    }

    /// Removes all of it.
    package func remove() throws { try FileManager.default.removeItem(atPath: folder) }
}
