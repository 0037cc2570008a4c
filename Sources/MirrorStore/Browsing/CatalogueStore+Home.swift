import Catalogue
import GRDB

/// What the first page of a mirror shows.
extension CatalogueStore {
    /// The number of objects of each kind that a face may see, in the order of the navigation. Kinds without any are left out.
    ///
    /// They are the lengths of the lists, so they are as of the last update of the index.
    package func shownCounts(for face: Face) throws -> [(kind: Kind, count: Int)] {
        let artworks = try artworks(ArtworkQuery(face: face), limit: 1).total ?? 0
        let others = try snapshot { reader in
            try Self.namedKinds.map { kind in
                (kind: kind, count: try NamePage(kind: kind, face: face, reader: reader).total())
            }
        }
        let all: [(kind: Kind, count: Int)] = [(kind: .artwork, count: artworks)] + others
        return all.filter { $0.count > 0 }
    }

    /// The ids of the shows that are running at a time (``Catalogue/ShowPeriod``), the latest to begin first.
    package func runningShows(at time: Timestamp, limit: Int) throws -> [String] {
        // An end without a time includes its whole day.
        let yesterday = Timestamp(seconds: time.seconds - 2 * 86_400).text
        return try read { db in
            var running: [String] = []
            try db.forEach(
                """
                SELECT id, start_at, end_at, status FROM show WHERE ghost = 0 AND json IS NOT NULL
                  AND (end_at >= ? OR end_at IS NULL AND lower(status) = 'running') ORDER BY start_at DESC, id LIMIT 1000
                """, [yesterday]
            ) { row in
                let period = ShowPeriod(startAt: row[1], endAt: row[2], status: row[3])
                if running.count < limit, period.isRunning(at: time) { running.append(row[0]) }
            }
            return running
        }
    }

    /// A change of an object, for a list of the latest ones.
    package struct LatestChange: Sendable {
        package let kind: Kind
        package let id: String
        /// The slug that leads to it (``Kind/pageSlug(_:)``); `nil` if none does, and for a deleted object.
        package let slug: String?
        package let title: String?
        package let action: ObjectChange.Action
        package let at: String
        /// The artists of an artwork; `nil` for other kinds, and if they are unknown.
        package let detail: String?
        /// The fields that changed and that the face may see, but for the time of the change; empty if the object is new or gone.
        package let fields: [FieldChanges.Change]
    }

    /// The latest changes of objects that a face may see, the newest first, each object once.
    ///
    /// What the first copy stored doesn't count (``ChangeLog/firstCopy``). At most 2,000 entries of the
    /// log are read.
    package func latestChanges(for face: Face, limit: Int) throws -> [LatestChange] {
        try snapshot { reader in
            let db = reader.db
            guard let first = try db.number(ChangeLog.firstCopy) else { return [] }
            // Visitors don't see changes of hidden fields (``ShownHistory``).
            let shown =
                face.seesAll ? "" : "AND EXISTS (SELECT 1 FROM shown_change s WHERE s.seq = change.seq)"
            var found: [LatestChange] = [], seen: Set<ChangedObject> = []
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT kind, id, action, at, \(ChangeLog.stateBefore("change")), seq
                    FROM change WHERE owner IS NULL AND list IS NULL AND (run IS NULL OR run > ?)
                      AND NOT \(ChangeLog.isForClientsOnly) AND seq > (SELECT max(seq) - 2000 FROM change) \(shown)
                    ORDER BY seq DESC
                    """, arguments: [first])
            while found.count < limit, let row = try rows.next() {
                guard let kind = kinds[row[0] as String], kind.isListed, face.shows(kind),
                    seen.insert(ChangedObject(kind, row[1])).inserted,
                    let action = ObjectChange.Action(rawValue: row[2])
                else { continue }
                let seq: Int64 = row[5]
                if let change = try latest(
                    kind, row[1], action, at: row[3], before: row[4], seq, face, reader)
                {
                    found.append(change)
                }
            }
            return found
        }
    }

    private func latest(
        _ kind: Kind, _ id: String, _ action: ObjectChange.Action, at: String, before: String?, _ seq: Int64,
        _ face: Face, _ reader: CatalogueReader
    ) throws -> LatestChange? {
        var json = before, slug: String?
        if action != .delete {
            let sql = "SELECT json, \(kind.pageSlug("o")) FROM \"\(kind.table)\" o WHERE id = ?"
            guard let row = try reader.db.row(sql, [id]) else { return nil }
            (json, slug) = (row[0], row[1])
        }
        guard let text = json, let body = try? JSONValue(parsing: text).objectValue,
            face.shows(body, of: kind)
        else { return nil }
        let item = kind == .artwork && action != .delete ? try reader.items([id], for: face).first : nil
        let names = item?.artists.prefix(3) ?? []
        return LatestChange(
            kind: kind, id: id, slug: slug,
            title: body[kind.titleColumn]?.stringValue, action: action, at: at,
            detail: names.isEmpty ? nil : names.joined(separator: ", "),
            fields: action == .update ? try fields(kind, id, before: before, seq, face, reader) : [])
    }

    /// The fields that an update changed; none if a state in the log is damaged.
    private func fields(
        _ kind: Kind, _ id: String, before: String?, _ seq: Int64, _ face: Face, _ reader: CatalogueReader
    ) throws -> [FieldChanges.Change] {
        let after = try PastStates(db: reader.db).state(of: ChangedObject(kind, id), nil, after: seq)
        guard let old = try? JSONObject(logged: before), let new = try? JSONObject(logged: after),
            let seen = SeenChange(kind, before: old, after: new, to: face)
        else { return [] }
        return seen.fields.filter { !SeenChange.isLeftOut($0.name) }
    }
}
