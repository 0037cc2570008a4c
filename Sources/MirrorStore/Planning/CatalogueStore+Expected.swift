import Catalogue
import GRDB

/// The deletions that the end of a run would make, and the delete guard's objections to them.
package struct PlannedDeletions: Sendable {
    /// The ids of the objects by kind, in the order in which they would be deleted.
    package var ids: [(kind: Kind, ids: [String])] = []
    /// The intents to which the delete guard would object. If there are any, nothing would be deleted.
    package var objections: [DeleteGuard.Intent] = []
    /// The total number of deletions, of objects and of members of lists.
    package var intended = 0
    /// The number of locations that artworks name as their place, and whose artworks would change.
    package var relocated = 0
}

/// Predicts what a run would fetch, write and delete.
extension CatalogueStore {
    /// Computes the deletions with the Deleter's own scopes and guard.
    ///
    /// Nothing is written but the lists of locations that artworks name (``FinishRequest/joinsPlaces``), to a plan's temporary
    /// tables.
    ///
    /// - Parameter share: the factor by which the losses of lists under objects of a kind are multiplied, because only a sample
    ///   of these lists was read. 0 if the sample allows no estimate.
    package func planDeletions(
        _ request: FinishRequest, share: @Sendable (Kind) -> Double = { _ in 1 }
    ) throws -> PlannedDeletions {
        guard request.mayDelete || request.joinsPlaces else { return PlannedDeletions() }
        func planned(_ db: Database) throws -> PlannedDeletions {
            let deleter = Deleter(log: try ChangeLog(self, db, run: request.run), request: request)
            let scopes = request.mayDelete ? try deleter.scopes() : []
            var planned = PlannedDeletions(relocated: try deleter.stageGatheredArtworks(besides: scopes))
            guard request.mayDelete else { return planned }
            var losing = try deleter.pendingMembers() + deleter.pendingDocuments() + deleter.pendingPictures()
            try deleter.countLosses(of: &losing, besides: scopes)
            let intents = try scopes.map(\.intent) + deleter.intents(of: losing, share: share)
            planned.objections = DeleteGuard(request.limit).objections(to: intents)
            planned.ids = scopes.map { ($0.intent.kind, $0.ids) }
            planned.intended = intents.reduce(0) { $0 + $1.deletions }
            return planned
        }
        return request.joinsPlaces ? try write(isServed: false, planned) : try read(planned)
    }

    /// Stores the ids of a list under an object in a plan's temporary tables, as a sync would store them.
    package func stagePlanned(_ list: ListAnswer, ids: [String], run: Int64) throws {
        try write { db in
            let log = try ChangeLog(self, db, run: run)
            _ = try ListWriter(log: log).stage(list, ids: ids)
        }
    }

    /// The effect that writing a record would have. Nothing is written.
    package func effect(of record: ObjectRecord) throws -> WriteEffect {
        try read { db in
            let found = try StoredRow.find(record.kind, record.id, in: db)
            guard found?.hasLocalEdit == true else { return ObjectWriter.effect(of: record, on: found) }
            let log = try ChangeLog(self, db, run: nil)
            return try AlbumArrival(log: log).rule(for: record).resolution == .update ? .updated : .ignored
        }
    }

    /// The number of members of a list that a sync will request.
    ///
    /// - Returns: members that aren't stored, members whose ETag in the list differs from the stored one, and members without
    ///   an ETag, whose state only a request shows.
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

    /// Whether there is a picture without a file, such as one that the server didn't have when it was requested.
    package func hasUnavailablePictures() throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM image_file WHERE hash IS NULL)"
        return try read { try $0.isTrue(sql) }
    }

    /// The approximate number of files of stored objects' pictures that a sync will fetch: those that were never requested.
    ///
    /// - Parameter formats: the wanted formats, of which a picture may not offer all.
    /// - Returns: the number of files, and of the objects that have their pictures. Both are 0 for kinds without pictures.
    package func picturesToFetch(
        of kind: Kind, formats: PictureFormats
    ) throws -> (owners: Int, pictures: Int) {
        guard kind.hasPictures else { return (0, 0) }
        let owner = kind.idColumn
        let lacking = formats.wanted.map { wanted in
            // If one format of each picture is wanted, any file shows that the picture was requested.
            let isFile =
                formats == .largest
                ? "NOT (\(ImageTile.isTile("f.format")))" : "f.format = \(wanted.format)"
            return """
                SELECT \(owner) AS owner FROM image i WHERE \(owner) IS NOT NULL
                  AND NOT EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND \(isFile))
                  AND \(wanted.condition)
                """
        }
        guard !lacking.isEmpty else { return (0, 0) }
        return try read { db in
            guard try Self.mayLackPictures(formats, in: db) else { return (0, 0) }
            let row = try db.row(
                "SELECT count(DISTINCT owner), count(*) FROM (\(lacking.joined(separator: " UNION ALL ")))")
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    /// Whether there are more pictures than files. If not, which is the usual case, the rows of pictures need not be read.
    ///
    /// Both are counted from an index, because the rows of pictures are long.
    private static func mayLackPictures(_ formats: PictureFormats, in db: Database) throws -> Bool {
        func files(_ format: String) -> String {
            "(SELECT count(*) FROM image_file WHERE format = \(format))"
        }
        let pictures = "(SELECT count(*) FROM image)",
            withFile = "(SELECT count(DISTINCT image) FROM image_file"
        let second = "'\(PictureFormats.firstFormat)'"
        let conditions =
            switch formats {
            case .largest: ["\(pictures) > \(withFile))"]
            case .standard:
                [
                    "\(pictures) > \(withFile) WHERE format <> \(second))",
                    "\(firstPictures) > \(files(second))",
                ]
            case .named: formats.wanted.map { "\(pictures) > \(files($0.format))" }
            }
        return try db.isTrue("SELECT \(conditions.joined(separator: " OR "))")
    }

    /// SQL: the number of pictures that are the first of their owner in their role.
    private static let firstPictures = """
        ((SELECT count(*) FROM (SELECT DISTINCT artwork_id, role FROM image WHERE artwork_id IS NOT NULL))
          + (SELECT count(*) FROM (SELECT DISTINCT show_id, role FROM image WHERE show_id IS NOT NULL)))
        """
}
