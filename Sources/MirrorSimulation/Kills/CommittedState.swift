import Foundation
import GRDB

/// What a mirror's files hold after whoever wrote them was killed: read from copies, so that nothing is mended by looking.
struct CommittedState {
    /// Entity tags of objects, documents and files that are stored whole.
    private(set) var etags: Set<String> = []
    /// What is wrong with the databases themselves.
    private(set) var damages: [String] = []
    /// Whether the database has its tables: before that, there is no mirror yet.
    private(set) var hasTables = false
    /// How many objects, and how many files.
    private(set) var objects = 0, artworks = 0, files = 0

    private static let kinds = ["partner", "user", "location", "artist", "artwork", "album", "show"]

    /// - Parameters:
    ///   - folder: the mirror's own.
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
                    if words != ["ok"] { damages.append("\(name): \(words.prefix(3))") }
                    guard name == "mirror.sqlite" else { return }
                    let dangling = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
                    if !dangling.isEmpty {
                        damages.append("\(name): \(dangling.count) rows refer to nothing")
                    }
                    try read(db, folder)
                }
                try queue.close()
            } catch let error as DatabaseError {
                damages.append("\(name): \(error)")
            }
        }
    }

    private mutating func read(_ db: Database, _ folder: String) throws {
        // One that was killed while it made its tables.
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
            // What is gone or cut short is fetched again, as it should be.
            guard (attributes?[.size] as? NSNumber)?.int64Value == size else { continue }
            files += 1
            if let tag { etags.insert(tag) }
        }
    }
}
