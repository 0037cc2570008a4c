import Foundation
import GRDB
import MirrorHTTP
import MirrorStore
import MirrorSync

/// Where histories take place, one after the other.
///
/// Each has a folder of its own. Calm ones share a database and a cache that stay open, and are emptied before each: to open
/// them and to prepare their statements takes longer than most of these histories. Not to be used by two at a time.
package final class HistoryPlace {
    let template: MirrorTemplate
    private let clock = SimulatedClock()
    private var open: SharedConnections?

    package init(_ template: MirrorTemplate) { self.template = template }

    /// What one history is given.
    struct Room {
        let folder: MirrorFolder
        let clock: SimulatedClock
        /// Whether each run opens and closes its own files, as the command does.
        let isWhole: Bool
        /// The files that stay open; `nil` where a mirror opens those in its folder.
        let open: SharedConnections?
    }

    func room(for plan: HistoryPlan, isWhole: Bool) throws -> Room {
        let name = "\(plan.seed)"
        guard plan.profile == .calm, !isWhole else {
            return Room(
                folder: try template.mirror(name), clock: SimulatedClock(), isWhole: isWhole, open: nil)
        }
        return Room(folder: try template.folder(name), clock: clock, isWhole: false, open: try emptied())
    }

    private func emptied() throws -> SharedConnections {
        if let open {
            try empty(open.store)
            open.cache.removeAllCachedResponses()
            return open
        }
        let folder = try template.mirror("shared-\(UUID().uuidString)"), clock = clock
        let opened = SharedConnections(
            store: try CatalogueStore.open(
                at: folder.database, now: { Date(timeIntervalSince1970: clock.local) }),
            cache: CanonicalURLCache(
                file: URL(filePath: folder.cache), origin: SimulatedPartner.base, now: { clock.local }))
        try opened.store.pool.write { try RowWatch(db: $0).install() }
        open = opened
        return opened
    }

    private func empty(_ store: CatalogueStore) throws {
        // The write-ahead log starts again, as in a database of its own; while somebody still reads it, it goes on.
        _ = try? store.pool.writeWithoutTransaction { try $0.checkpoint(.restart) }
        try store.pool.write { db in
            // The tables that refer to others were made after them. To put the checks off would make every prepared
            // statement void.
            for table in try Self.tables(db) {
                try db.cachedStatement(sql: "DELETE FROM \"\(table)\"").execute()
            }
            // The references that went have marked their files.
            try db.cachedStatement(sql: "DELETE FROM loose_file").execute()
            try db.cachedStatement(sql: "DELETE FROM sqlite_sequence").execute()
            // The id of the log is the database's own.
            try db.cachedStatement(sql: "DELETE FROM meta WHERE key <> 'log_id'").execute()
        }
    }

    private static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
                      AND name NOT LIKE 'search%' AND name NOT IN ('grdb_migrations', 'meta') ORDER BY rowid DESC
                    """))
    }

    package func close() throws {
        try open?.store.close(folding: false)
        open = nil
    }
}
