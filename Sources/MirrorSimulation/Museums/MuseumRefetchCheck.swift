import Catalogue
import GRDB
import MirrorStore

/// Invariant 6 for a described catalogue: an object or a file that was stored before a run, and that is unchanged at the
/// museum, is not requested again in the run. Lists may be.
struct MuseumRefetchCheck {
    /// The objects that were stored, each with its version.
    private let stored: [MuseumObject: String]
    /// The addresses of pictures whose files were stored, each with the picture's entry in its artwork.
    private let files: [String: String]
    /// Whether changes since a date can be requested. Without a date, objects may have changed before it.
    private let hasDate: Bool

    init(_ db: Database, _ kinds: [Kind]) throws {
        var stored: [MuseumObject: String] = [:]
        for kind in kinds {
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, etag FROM "\(kind.name)" WHERE ghost = 0 AND linked = 0 AND refetch = 0 AND kept = 0
                          AND etag IS NOT NULL AND json IS NOT NULL
                        """))
            for row in rows { stored[MuseumObject(kind: kind, id: row[0])] = row[1] }
        }
        self.stored = stored
        hasDate =
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM since WHERE since IS NOT NULL)") ?? false
        files = try Self.files(db)
    }

    private static func files(_ db: Database) throws -> [String: String] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT json_extract(i.json, '$.image_urls.' || f.format), i.entry FROM image i
                    JOIN image_file f ON f.image = i.pk AND f.entry = i.entry AND f.hash IS NOT NULL
                    """))
        return Dictionary(
            rows.compactMap { row in (row[0] as String?).map { ($0, row[1]) } }, uniquingKeysWith: { $1 })
    }

    /// - Parameter comparesAll: whether also objects without a version in a list are checked: those that no list of changes
    ///   named.
    func violations(
        _ log: MuseumLog, before: ExpectedMuseum, after: ExpectedMuseum, comparesAll: Bool, _ db: Database
    ) throws -> [Violation] {
        let objects = log.requested.filter { object in
            guard let version = stored[object], log.listed.contains(object) else { return false }
            guard let known = before.versions[object] else {
                return comparesAll && hasDate && before.has(object) && !log.changed.contains(object)
            }
            return version == known && after.versions[object] == known
        }
        let now = try Self.files(db)
        let pictures = log.pictures.filter { url in files[url].map { now[url] == $0 } == true }
        return objects.sorted().map {
            Violation(.killedRunsConverge, "\($0) was requested again, although the mirror has this version.")
        }
            + pictures.sorted().map {
                Violation(
                    .killedRunsConverge, "\($0) was downloaded again, although the mirror has the file.")
            }
    }
}
