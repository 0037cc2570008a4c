import Foundation
import GRDB

/// The committed content of a mirror whose process was killed. It is read from copies, so that opening the databases
/// repairs nothing.
struct CommittedState {
    /// ETags of the objects, documents and files that are stored completely.
    private(set) var etags: Set<String> = []
    /// Damage of the databases themselves.
    private(set) var defects: [String] = []
    /// Whether the database has all its tables. Before that, there is no mirror.
    private(set) var hasTables = false
    /// The numbers of objects, artworks and files.
    private(set) var objects = 0, artworks = 0, files = 0

    private static let kinds = ["partner", "user", "location", "artist", "artwork", "album", "show"]

    /// Reads the state.
    ///
    /// - Parameters:
    ///   - folder: the mirror's folder.
    ///   - spare: a folder for the copies, which are removed again.
    init(folder: String, spare: String) throws {
        for name in ["mirror.sqlite", "cache.sqlite"] {
            guard FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { continue }
            let copy = "\(spare)/\(UUID().uuidString)"
            defer {
                for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + end) }
            }
            for end in ["", "-wal"] where FileManager.default.fileExists(atPath: "\(folder)/\(name)\(end)") {
                try FileManager.default.copyItem(atPath: "\(folder)/\(name)\(end)", toPath: copy + end)
            }
            do {
                let queue = try DatabaseQueue(path: copy)
                try queue.inDatabase { db in
                    let words = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                    if words != ["ok"] { defects.append("\(name): \(words.prefix(3))") }
                    guard name == "mirror.sqlite" else { return }
                    let dangling = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
                    if !dangling.isEmpty {
                        defects.append("\(name): \(dangling.count) rows have broken references")
                    }
                    try read(db, folder)
                }
                try queue.close()
            } catch let error as DatabaseError {
                defects.append("\(name): \(error)")
            }
        }
    }

    private mutating func read(_ db: Database, _ folder: String) throws {
        // A process may be killed while it creates the tables.
        hasTables = try db.tableExists("image_file")
        guard hasTables else { return }
        for kind in Self.kinds {
            let tags = try String?.fetchAll(
                db, sql: "SELECT etag FROM \"\(kind)\" WHERE ghost = 0 AND refetch = 0 AND json IS NOT NULL")
            objects += tags.count
            if kind == "artwork" { artworks = tags.count }
            etags.formUnion(tags.compactMap { $0 })
        }
        etags.formUnion(
            try String.fetchAll(
                db,
                sql: "SELECT etag FROM document WHERE ghost = 0 AND refetch = 0 AND etag IS NOT NULL"))
        let stored = try Row.fetchAll(
            db,
            sql: """
                SELECT f.path, f.size, i.etag FROM image_file i JOIN file f ON f.hash = i.hash
                UNION ALL SELECT f.path, f.size, d.file_etag FROM document d JOIN file f ON f.hash = d.file
                """)
        for row in stored {
            let path: String = row[0], size: Int64 = row[1], tag: String? = row[2]
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
            // A missing or truncated file is fetched again, as it should be.
            guard (attributes?[.size] as? NSNumber)?.int64Value == size else { continue }
            files += 1
            if let tag { etags.insert(tag) }
        }
    }
}
