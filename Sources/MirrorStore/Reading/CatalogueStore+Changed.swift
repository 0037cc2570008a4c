import Catalogue
import GRDB

/// An object of which something that is served may have changed.
package struct ChangedSince: Sendable, Hashable {
    package let id: String
    /// When its last change was noted.
    package let at: String
}

extension CatalogueStore {
    /// The objects of a kind that changed at or after a time, each once, in the order of their last changes.
    ///
    /// A change of a list, document or picture under an object is one of the object. The log is read from its newest row
    /// back to the first that is older: times in it never go back, so the cost is that of the window.
    ///
    /// - Parameter since: as the store writes times.
    /// - Returns: `nil` if the log doesn't reach back so far: what was deleted before it began is not in it.
    package func changed(_ kind: Kind, since: String) throws -> [ChangedSince]? {
        try read { db in
            guard let start = try Self.logStart(in: db), start <= since else { return nil }
            let rows = try Row.fetchCursor(db.cachedStatement(sql: Self.newestChanges))
            var seen = Set<ExactText>(), changed: [ChangedSince] = []
            while let row = try rows.next() {
                let at: String = row[0]
                guard at >= since else { break }
                guard let id = Self.changedObject(of: kind, in: row), seen.insert(ExactText(id)).inserted
                else { continue }
                changed.append(ChangedSince(id: id, at: at))
            }
            return changed.reversed()
        }
    }

    /// The moment behind the last change: whoever has read everything now misses nothing who asks for what changed since.
    /// `nil` if nothing has changed yet.
    package func changesEnd() throws -> String? {
        let now = timestamp()
        return try read { db in
            let last = try String.fetchOne(
                db.cachedStatement(sql: "SELECT at FROM change ORDER BY seq DESC LIMIT 1"))
            // In the very moment of the last change, another may still come.
            return last.map { $0 < now ? ChangeLog.moment(after: $0) : $0 }
        }
    }

    /// The time from which on everything that happened to this mirror is in its log.
    ///
    /// Where nothing was cut off, that is the first change. Before it there may have been another mirror in the place of
    /// this one, whose objects nobody would say to be gone. A mirror without any change proves nothing.
    private static func logStart(in db: Database) throws -> String? {
        try String.fetchOne(
            db,
            sql: """
                SELECT coalesce((SELECT value FROM meta WHERE key = ?),
                  (SELECT at FROM change ORDER BY seq LIMIT 1))
                """, arguments: [Fact.changeLogStart.rawValue])
    }

    /// Creates and deletes by which something is restored, or that is undone, aren't read: what was not served before
    /// such a one isn't served after it.
    private static let newestChanges = """
        SELECT at, kind, id, owner FROM change WHERE action = 'update' OR run IS NULL
          OR run NOT IN (SELECT run FROM sync_log WHERE \(isUpkeep)) ORDER BY seq DESC
        """

    /// The object of that kind that a row is about: its own, or the owner of the document.
    private static func changedObject(of kind: Kind, in row: Row) -> String? {
        let name: String = row[1]
        if name == kind.name { return row[2] }
        guard name == Kind.document.name, let logged: String = row[3],
            let owner = Owner(logged: logged), owner.kind == kind
        else { return nil }
        return owner.id
    }
}
