import Catalogue
import GRDB

/// The body and ETag that a server offers for a canonical URL.
package struct ServedBody: Sendable {
    package let body: String
    package let etag: String

    init(body: String, etag: String) {
        self.body = body
        self.etag = etag
    }

    /// From the first two columns of a row.
    init(_ row: Row) { self.init(body: row[0] ?? "", etag: row[1] ?? "") }
}

extension CatalogueStore {
    /// An object as it is served; `nil` for what isn't here, ghosts, and what was restored but is not listed (`kept`).
    package func served(_ kind: Kind, _ id: String) throws -> ServedBody? {
        try read { db in
            try Row.fetchOne(db.cachedStatement(sql: Self.servedObject[kind] ?? ""), arguments: [id])
                .map(ServedBody.init)
        }
    }

    static let servedObject = Dictionary(
        uniqueKeysWithValues: Kinds.standard.all.map { kind in
            (
                kind,
                """
                SELECT coalesce(served, json), served_etag FROM "\(kind.table)"
                WHERE id = ? AND ghost = 0 AND kept = 0 AND json IS NOT NULL AND served_etag IS NOT NULL
                  \(kind == .album ? "AND acknowledged = 1" : "")
                """
            )
        })

    /// What an object that is served has to be beside, to be among those of its kind: one that is here only because
    /// something refers to it is not.
    static let isListed = "linked = 0"

    /// What an object has to be for the list of its kind to name it.
    static func isInList(_ kind: Kind) -> String {
        "ghost = 0 AND kept = 0 AND \(isListed) AND json IS NOT NULL\(kind == .album ? " AND acknowledged = 1" : "")"
    }

    package func servedDocument(_ owner: Owner, _ id: String) throws -> ServedBody? {
        try read { db in
            let statement = try db.cachedStatement(sql: Self.servedDocument(of: owner.kind))
            return try Row.fetchOne(statement, arguments: [owner.id, id]).map(ServedBody.init)
        }
    }

    static func servedDocument(of kind: Kind) -> String {
        """
        SELECT coalesce(served, json), served_etag FROM document
        WHERE \(kind.name)_id = ? AND id = ? AND kept = 0
        """
    }

    /// The partner and user of this mirror, of which there is one each.
    package func servedSingle(_ kind: Kind) throws -> (id: String, body: ServedBody)? {
        try read { db in
            try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT id, coalesce(served, json), served_etag FROM "\(kind.table)"
                        WHERE json IS NOT NULL ORDER BY id LIMIT 1
                        """)
            ).map { ($0[0], ServedBody(body: $0[1], etag: $0[2])) }
        }
    }

    /// Ids and ETags of all objects of a kind that are listed to others, in order of their ids.
    ///
    /// What is here only because something refers to it isn't: it is served by its canonical URL alone.
    package func servedList(_ kind: Kind, _ body: (_ id: String, _ etag: String) throws -> Void) throws {
        try read { db in
            // Read as they are stored and sorted then: of a million, stored in another order than that of their ids, the index
            // of ids would lead to each page of the table many times.
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT id, served_etag FROM "\(kind.table)" NOT INDEXED
                        WHERE \(Self.isInList(kind)) AND served_etag IS NOT NULL ORDER BY id
                        """))
            while let row = try rows.next() { try body(row[0], row[1]) }
        }
    }

    /// The artworks of a show, album or location as the server has them, those that aren't stored included.
    package func members(of owner: Owner) throws -> [String] {
        try read { db in
            try Membership(of: owner)?.ids(in: db) ?? []
        }
    }

    /// Every membership of a kind at once: owner and artwork, in order.
    package func allMembers(of kind: Kind, _ body: (_ owner: String, _ artwork: String) throws -> Void)
        throws
    {
        let listed = kind == .album ? "WHERE \(Membership.isListed)" : ""
        try read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(kind.name)_id, artwork_id FROM \(kind.name)_artwork \(listed)
                    ORDER BY \(kind.name)_id, position
                    """)
            while let row = try rows.next() { try body(row[0], row[1]) }
        }
    }

    /// Ids and ETags of the documents of an owner, in order of their ids.
    package func documents(of owner: Owner) throws -> [(id: String, etag: String)] {
        try read { try ServedReader(db: $0).documents(of: owner) }
    }

    static func servedDocuments(of kind: Kind) -> String {
        "SELECT id, served_etag FROM document WHERE \(kind.name)_id = ? AND kept = 0 ORDER BY id"
    }

    /// Owner, id and ETag of every document of shows or artists, in order.
    package func allDocuments(
        of kind: Kind, _ body: (_ owner: String, _ id: String, _ etag: String) throws -> Void
    ) throws {
        let column = "\(kind.name)_id"
        try read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(column), id, served_etag FROM document WHERE \(column) IS NOT NULL AND kept = 0
                    ORDER BY \(column), id
                    """)
            while let row = try rows.next() { try body(row[0], row[1], row[2]) }
        }
    }

    /// The pictures of a show in one role, as JSON objects, in order.
    package func images(ofShow show: String, role: ImageRole) throws -> [String] {
        try read { db in
            try String.fetchAll(
                db.cachedStatement(sql: Self.servedImages), arguments: [show, role.rawValue])
        }
    }

    static let servedImages =
        "SELECT coalesce(served, json) FROM image WHERE show_id = ? AND role = ? ORDER BY position"

    /// Every picture of shows: show, role and JSON object, in order.
    package func allShowImages(_ body: (_ show: String, _ role: ImageRole, _ json: String) throws -> Void)
        throws
    {
        try read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT show_id, role, coalesce(served, json) FROM image WHERE show_id IS NOT NULL
                    ORDER BY show_id, role, position
                    """)
            while let row = try rows.next() {
                if let role = ImageRole(rawValue: row[1]) { try body(row[0], role, row[2]) }
            }
        }
    }

    /// What is known of a picture that is asked for: its file in that format, if any, and its shape.
    package struct PictureFacts: Sendable {
        package let file: StoredFile?
        package let aspectRatio: Double?
    }

    package func picture(of owner: Owner, image: String, format: String) throws -> PictureFacts? {
        let column = owner.kind == .artwork ? "artwork_id" : "show_id"
        return try read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT h.hash, h.size, h.path, h.type,
                      coalesce(CAST(i.original_width AS REAL) / nullif(i.original_height, 0), i.aspect_ratio)
                    FROM image i LEFT JOIN image_file f ON f.image = i.pk AND f.format = ?
                    LEFT JOIN file h ON h.hash = f.hash WHERE i.\(column) = ? AND i.id = ?
                      AND EXISTS (SELECT 1 FROM "\(owner.kind.table)" o WHERE o.id = i.\(column) AND o.kept = 0)
                    ORDER BY h.hash IS NULL LIMIT 1
                    """)
            return try Row.fetchOne(statement, arguments: [format, owner.id, image]).map {
                PictureFacts(file: StoredFile(row: $0, from: 0), aspectRatio: $0[4])
            }
        }
    }

    /// Bytes of files that only what was restored refers to.
    private static let keptSize = """
        SELECT coalesce(sum(size), 0) FROM file WHERE hash IN (
          SELECT f.hash FROM artwork o JOIN image i ON i.artwork_id = o.id JOIN image_file f ON f.image = i.pk
            WHERE o.kept = 1
          UNION SELECT f.hash FROM show o JOIN image i ON i.show_id = o.id JOIN image_file f ON f.image = i.pk
            WHERE o.kept = 1
          UNION SELECT file FROM document WHERE kept = 1
        ) AND NOT EXISTS (
          SELECT 1 FROM image_file f JOIN image i ON i.pk = f.image LEFT JOIN artwork a ON a.id = i.artwork_id
            LEFT JOIN show s ON s.id = i.show_id WHERE f.hash = file.hash AND coalesce(a.kept, s.kept) = 0
        ) AND NOT EXISTS (SELECT 1 FROM document d WHERE d.file = file.hash AND d.kept = 0) AND released_at IS NULL
        """

    /// Bytes of all files that a mirror of this one would fetch: for `GET …/size`.
    package func mediaSize() throws -> Int64 {
        try read { db in
            let all =
                try Int64.fetchOne(
                    db, sql: "SELECT coalesce(sum(size), 0) FROM file WHERE released_at IS NULL") ?? 0
            return try all - (Int64.fetchOne(db, sql: Self.keptSize) ?? 0)
        }
    }

    /// Whether a picture is listed of which no bytes are stored.
    package func lacksPictures() throws -> Bool {
        try read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM image i WHERE i.image_url IS NOT NULL
                      AND NOT EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.hash IS NOT NULL))
                    """) ?? false
        }
    }
}
