import Catalogue
import GRDB

/// What the end of a run would sweep, and whether the guard would let it.
package struct PlannedDeletions: Sendable {
    /// Ids by kind, in the order in which they would go.
    package var ids: [(kind: Kind, ids: [String])] = []
    /// What would stop the sweep; empty if nothing would.
    package var objections: [DeleteGuard.Intent] = []
    /// How much would go in all, objects and members of lists alike.
    package var intended = 0
}

/// What a run would fetch, write and delete.
extension CatalogueStore {
    /// The Deleter's own reading part: the same scopes, the same guard, and nothing is written.
    ///
    /// - Parameter share: by how much what lists under objects of a kind lose is to be multiplied, as only some of these lists were
    ///   looked at; 0 where these don't tell.
    package func planDeletions(
        _ request: FinishRequest, share: @Sendable (Kind) -> Double = { _ in 1 }
    ) throws -> PlannedDeletions {
        guard request.mayDelete else { return PlannedDeletions() }
        return try read { db in
            let deleter = Deleter(log: try ChangeLog(self, db, run: request.run), request: request)
            let scopes = try deleter.kindScopes()
            var losing = try deleter.waitingMembers() + deleter.waitingDocuments() + deleter.waitingPictures()
            try deleter.count(&losing, beside: scopes)
            let intents = try scopes.map(\.intent) + deleter.intents(of: losing, share: share)
            var planned = PlannedDeletions()
            planned.objections = DeleteGuard(request.limit).objections(to: intents)
            planned.ids = scopes.map { ($0.intent.kind, $0.ids) }
            planned.intended = intents.reduce(0) { $0 + $1.deletions }
            return planned
        }
    }

    /// Notes in a plan's own tables what a list under an object names, as a sync stores it.
    package func foresee(_ list: ListAnswer, ids: [String], run: Int64) throws {
        try write { db in
            let log = try ChangeLog(self, db, run: run)
            _ = try ListWriter(log: log).stage(list, ids: ids)
        }
    }

    /// What writing a record would do.
    package func effect(of record: ObjectRecord) throws -> WriteEffect {
        try read { db in
            let found = try StoredRow.find(record.kind, record.id, in: db)
            guard found?.hasLocalEdit == true else { return ObjectWriter.effect(of: record, on: found) }
            let log = try ChangeLog(self, db, run: nil)
            return try AlbumArrival(log: log).rule(for: record).resolution == .update ? .updated : .ignored
        }
    }

    /// How many members of a list a sync will ask for: what is not stored, what the list says has changed, and what only
    /// asking tells.
    package func membersToFetch(
        of list: Int64, version: Int64, kind: Kind
    ) throws -> (new: Int, changed: Int, undecided: Int) {
        let sql = """
            SELECT sum((o.id IS NULL OR o.ghost) AND NOT (\(Pruned.isLeftOut(kind)))),
              sum(NOT o.ghost AND m.etag IS NOT NULL AND o.etag IS NOT NULL
                AND (o.etag <> m.etag OR o.refetch OR o.kept OR o.linked) AND NOT (\(Pruned.isLeftOut(kind)))),
              sum(NOT o.ghost AND (m.etag IS NULL OR o.etag IS NULL))
            FROM list_member m LEFT JOIN "\(kind.table)" o ON o.id = m.id
            WHERE m.list = ? AND m.version = ?
            """
        let row = try read { try $0.row(sql, [list, version]) }
        return (row?[0] ?? 0, row?[1] ?? 0, row?[2] ?? 0)
    }

    /// Whether there is a picture of which the server had no bytes when it was asked.
    package func hasPicturesNotOffered() throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM image_file WHERE hash IS NULL)"
        return try read { try $0.isTrue(sql) }
    }

    /// About how many pictures of stored objects a sync will fetch: those of whose wanted bytes nothing is known.
    ///
    /// - Parameter formats: the wanted ones, of which a picture may not offer all; `nil` for one of each picture.
    /// - Returns: pictures, and the objects that have them; none for kinds without pictures.
    package func picturesToFetch(of kind: Kind, formats: [String]?) throws -> (owners: Int, pictures: Int) {
        guard kind.hasPictures else { return (0, 0) }
        let owner = kind.idColumn, formats = formats.map { JSONValue.canonicalText(of: $0) }
        let wanted =
            formats == nil
            ? ("", "", "")
            : (
                ", json_each(?) w", "AND f.format = w.value",
                "AND (image_versions IS NULL OR w.value IN (SELECT value FROM json_each(image_versions)))"
            )
        let sql = """
            SELECT count(DISTINCT \(owner)), count(*) FROM image i\(wanted.0) WHERE \(owner) IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk
                AND NOT (\(ImageTile.isTile("f.format"))) \(wanted.1)) \(wanted.2)
            """
        return try read { db in
            guard try Self.mayLackPictures(formats, in: db) else { return (0, 0) }
            let row = try db.row(sql, StatementArguments(formats.map { [$0] } ?? []))
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    /// Whether there are more pictures than files. Both are counted by walking an index, since a picture's row is long:
    /// where all is here, as it mostly is, that is soon known.
    private static func mayLackPictures(_ formats: String?, in db: Database) throws -> Bool {
        let pictures = "(SELECT count(*) FROM image)"
        guard let formats else {
            let sql = "SELECT \(pictures) > (SELECT count(DISTINCT image) FROM image_file)"
            return try db.isTrue(sql)
        }
        let files = "(SELECT count(*) FROM image_file WHERE format = w.value)"
        let sql = "SELECT EXISTS (SELECT 1 FROM json_each(?) w WHERE \(pictures) > \(files))"
        return try db.isTrue(sql, [formats])
    }
}
