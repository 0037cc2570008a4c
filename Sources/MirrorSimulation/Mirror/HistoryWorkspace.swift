import Foundation
import GRDB
import MirrorHTTP
import MirrorStore
import MirrorSync

/// The files that histories use, one after the other. Not for two histories at the same time.
///
/// Each history has a folder of its own. Calm histories share a database and a cache that stay open and are emptied
/// before each history: opening them and preparing statements would take longer than most of these histories.
package final class HistoryWorkspace {
    let template: MirrorTemplate
    private let clock = SimulatedClock()
    private var open: SharedConnections?

    package init(_ template: MirrorTemplate) { self.template = template }

    /// The files and the clock of one history.
    struct Slot {
        let folder: MirrorFolder
        let clock: SimulatedClock
        /// Whether each run opens and closes its own files, as the command does.
        let opensOwnFiles: Bool
        /// The shared files; `nil` if the mirror opens the files in its folder.
        let open: SharedConnections?
    }

    func slot(for plan: HistoryPlan, opensOwnFiles: Bool) throws -> Slot {
        let name = "\(plan.seed)"
        guard plan.profile == .calm, !opensOwnFiles else {
            return Slot(
                folder: try template.mirror(name), clock: SimulatedClock(), opensOwnFiles: opensOwnFiles,
                open: nil)
        }
        return Slot(
            folder: try template.folder(name), clock: clock, opensOwnFiles: false, open: try emptied())
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
        try opened.store.pool.write { try RowWriteRecorder(db: $0).install() }
        open = opened
        return opened
    }

    private func empty(_ store: CatalogueStore) throws {
        // Restarts the write-ahead log, as in a new database. If a reader still uses it, it just continues.
        _ = try? store.pool.writeWithoutTransaction { try $0.checkpoint(.restart) }
        try store.pool.write { db in
            // Newest tables first, as they refer to older ones. Deferring the foreign keys instead would invalidate all
            // prepared statements.
            for table in try Self.tables(db) {
                // The indexes of artworks have no content that could be deleted row by row.
                let name = "\"\(table)\""
                let empty =
                    table.hasPrefix("artwork_by_")
                    ? "INSERT INTO \(name)(\(name)) VALUES ('delete-all')" : "DELETE FROM \(name)"
                try db.cachedStatement(sql: empty).execute()
            }
            // The triggers on the deleted references have marked files as unused.
            try db.cachedStatement(sql: "DELETE FROM loose_file").execute()
            try db.cachedStatement(sql: "DELETE FROM sqlite_sequence").execute()
            // The log's id belongs to the database, and is kept.
            try db.cachedStatement(sql: "DELETE FROM meta WHERE key <> 'log_id'").execute()
        }
    }

    private static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
                      AND name NOT LIKE 'search%' AND name NOT GLOB 'artwork_by_*_*'
                      AND name NOT IN ('grdb_migrations', 'meta') ORDER BY rowid DESC
                    """))
    }

    package func close() throws {
        try open?.store.close(checkpointing: false)
        open = nil
    }
}
