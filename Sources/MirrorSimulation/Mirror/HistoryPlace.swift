import Foundation
import GRDB
import MirrorHTTP
import MirrorStore

/// Where histories take place, one after the other: a database and a cache that stay open, and are emptied before each.
///
/// To open them and to prepare their statements takes longer than most histories. Not to be used by two at a time.
package final class HistoryPlace {
    let template: MirrorTemplate
    let clock = SimulatedClock()
    private var store: CatalogueStore?
    private var cache: CanonicalURLCache?

    package init(_ template: MirrorTemplate) { self.template = template }

    /// An empty database.
    func emptied() throws -> CatalogueStore {
        if let store {
            try empty(store)
            return store
        }
        let folder = try template.mirror("shared-\(UUID().uuidString)"), clock = clock
        let opened = try CatalogueStore.open(
            at: folder.database, now: { Date(timeIntervalSince1970: clock.local) })
        store = opened
        return opened
    }

    /// An empty cache.
    func emptiedCache() throws -> CanonicalURLCache {
        if let cache {
            cache.removeAllCachedResponses()
            return cache
        }
        let folder = try template.folder("cache-\(UUID().uuidString)"), clock = clock
        let opened = CanonicalURLCache(
            file: URL(filePath: folder.cache), origin: SimulatedPartner.base, now: { clock.local })
        cache = opened
        return opened
    }

    private func empty(_ store: CatalogueStore) throws {
        // The log begins anew, as in a database of its own. Beside a folding that is still under way, next time.
        _ = try? store.pool.writeWithoutTransaction { try $0.checkpoint(.restart) }
        try store.pool.write { db in
            try db.cachedStatement(sql: "UPDATE watch SET isOn = 0").execute()
            // The tables that refer to others were made after them. To put the checks off would make every prepared
            // statement void.
            for table in try Self.tables(db) {
                try db.cachedStatement(sql: "DELETE FROM \"\(table)\"").execute()
            }
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
                      AND name NOT LIKE 'search%' AND name NOT IN ('grdb_migrations', 'meta', 'watch') ORDER BY rowid DESC
                    """))
    }

    package func close() throws {
        try store?.close(folding: false)
        store = nil
    }
}
