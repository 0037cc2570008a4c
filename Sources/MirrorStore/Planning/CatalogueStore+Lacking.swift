import Catalogue
import GRDB

extension CatalogueStore {
    /// Whether there is a picture of which the server had no bytes when it was asked.
    package func hasPicturesNotOffered() throws -> Bool {
        try read { db in
            try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM image_file WHERE hash IS NULL)"))
                ?? false
        }
    }

    /// About how many pictures of stored objects a sync will fetch: those of whose wanted bytes nothing is known.
    ///
    /// - Parameter formats: the wanted ones, of which a picture may not offer all; `nil` for one of each picture.
    /// - Returns: pictures, and the objects that have them; none for kinds without pictures.
    package func picturesToFetch(
        of kind: Kind, formats: [String]?
    ) throws -> (owners: Int, pictures: Int) {
        guard kind == .artwork || kind == .show else { return (0, 0) }
        return try read { db in
            guard try Self.mayLackPictures(formats, in: db) else { return (0, 0) }
            let owner = "\(kind.name)_id"
            let sql: String
            if formats == nil {
                sql = """
                    SELECT count(DISTINCT \(owner)), count(*) FROM image i WHERE \(owner) IS NOT NULL
                      AND NOT EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk)
                    """
            } else {
                sql = """
                    SELECT count(DISTINCT \(owner)), count(*) FROM image i, json_each(?) w
                    WHERE \(owner) IS NOT NULL
                      AND (image_versions IS NULL OR w.value IN (SELECT value FROM json_each(image_versions)))
                      AND NOT EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.format = w.value)
                    """
            }
            let row = try Row.fetchOne(
                db.cachedStatement(sql: sql),
                arguments: StatementArguments(formats.map { [JSONValue.canonicalText(of: $0)] } ?? []))
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    /// Whether there are more pictures than files. Both are counted by walking an index, since a picture's row is long:
    /// where all is here, as it mostly is, that is soon known.
    private static func mayLackPictures(_ formats: [String]?, in db: Database) throws -> Bool {
        let pictures = try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM image")) ?? 0
        guard let formats else {
            return pictures
                > (try Int.fetchOne(db.cachedStatement(sql: "SELECT count(DISTINCT image) FROM image_file"))
                    ?? 0)
        }
        return try formats.contains { format in
            let files = try Int.fetchOne(
                db.cachedStatement(sql: "SELECT count(*) FROM image_file WHERE format = ?"),
                arguments: [format])
            return pictures > files ?? 0
        }
    }
}
