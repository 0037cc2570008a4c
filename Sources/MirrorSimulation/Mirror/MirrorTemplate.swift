import Foundation
import GRDB
import GRDBSQLite
import MirrorStore

/// A folder for mirrors, with an empty database that each of them is copied from. Creating its tables takes longer than
/// most histories.
package struct MirrorTemplate: Sendable {
    package let folder: String
    let schema: SchemaCheck.Schema

    /// Creates the folder and the database.
    ///
    /// - Parameter parent: the folder's parent; `nil` for `/dev/shm` if that exists, else the system's temporary folder.
    /// - Throws: ``StoreError``, or an error of the file system.
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

    /// Keeps other processes out of the databases that this process opens. SQLite then needs no file locks for its
    /// statements, which take a tenth of a history's time. For processes that only run simulations.
    package static func useExclusiveLocking() { sqlite3_vfs_register(sqlite3_vfs_find("unix-excl"), 1) }

    /// Uses pages of 2 kB, a quarter of the usual size: with few objects, most of a larger page would be empty.
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

    /// Creates the folder of a mirror, without a database.
    func folder(_ name: String) throws -> MirrorFolder {
        let mirror = try MirrorHome(path: "\(folder)/\(name)").mirror("p")
        try FileManager.default.createDirectory(atPath: mirror.path, withIntermediateDirectories: true)
        return mirror
    }

    /// Creates the folder of a new mirror, with an empty database.
    func mirror(_ name: String) throws -> MirrorFolder {
        let mirror = try folder(name)
        try FileManager.default.copyItem(atPath: database, toPath: mirror.database)
        return mirror
    }

    /// Removes the folder with all its content.
    package func remove() throws { try FileManager.default.removeItem(atPath: folder) }
}
