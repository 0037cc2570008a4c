import GRDB

/// That an object was edited here and changed on the server, and which version was left.
package struct LoggedConflict: Sendable, Hashable {
    package let seq: Int64
    package let run: Int64?
    package let at: String
    package let kind: String
    package let id: String
    package let resolution: AlbumConflict.Outcome
    /// JSON; `nil` where it had been deleted here.
    package let local: String?
    /// JSON; `nil` where it was deleted on the server.
    package let server: String?
}

extension CatalogueStore {
    /// Conflicts of a run, or as a filter says, the newest first.
    package func conflicts(_ filter: ChangeFilter) throws -> [LoggedConflict] {
        try read { try Self.conflicts(filter, in: $0) }
    }

    static func conflicts(_ filter: ChangeFilter, in db: Database) throws -> [LoggedConflict] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT seq, run, at, kind, id, resolution, local, server FROM conflict
                    WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR id = ?2) AND (?3 IS NULL OR at >= ?3)
                      AND (?4 IS NULL OR run = ?4) ORDER BY seq DESC LIMIT ?5
                    """),
            arguments: [filter.kind?.name, filter.id, filter.since, filter.run, filter.limit ?? -1]
        ).compactMap { row in
            AlbumConflict.Outcome(rawValue: row[5]).map {
                LoggedConflict(
                    seq: row[0], run: row[1], at: row[2], kind: row[3], id: row[4], resolution: $0,
                    local: row[6],
                    server: row[7])
            }
        }
    }
}
