import Catalogue
import GRDB

/// Updates the stored state of lists at the end of a run.
extension Deleter {
    /// Removes drafts, and marks lists as clean: their members aren't checked again until the list's ETag changes.
    func settleLists(swept: Bool) throws {
        for (number, version) in try db.rows("SELECT number, version FROM list WHERE owner_kind = 'partner'")
            .map({ ($0[0] as Int64, $0[1] as Int64) })
        {
            for side in ["<", ">"] {
                try db.run("DELETE FROM list_member WHERE list = ? AND version \(side) ?", [number, version])
            }
        }
        for url in request.unsettled {
            try db.run("UPDATE list SET etag = NULL WHERE url = ?", [url])
        }
        guard swept else { return }
        for kind in log.kinds.listed { try noteClean(kind) }
    }

    /// Marks a kind's own list as clean if everything that it contains is stored.
    ///
    /// - Each member's row, and each list under a member, must have been made from the listed ETag.
    /// - The run reports that no member failed and no picture is missing (``FinishRequest/clean``).
    private func noteClean(_ kind: Kind) throws {
        for url in request.clean where url.contains("/\(kind.plural)?") {
            try db.run(
                """
                UPDATE list SET clean_etag = etag,
                  clean_formats = coalesce(?1, CASE WHEN clean_etag = etag THEN clean_formats END)
                WHERE url = ?2 AND run = ?3 AND name = ?4 AND etag IS NOT NULL
                  AND (clean_etag IS NOT etag OR (?1 IS NOT NULL AND clean_formats IS NOT ?1))
                  AND NOT EXISTS (
                    SELECT 1 FROM list_member m LEFT JOIN "\(kind.table)" o ON o.id = m.id
                    WHERE m.list = list.number AND m.version = list.version
                      AND (o.id IS NULL OR o.ghost OR o.refetch OR o.kept OR o.linked OR o.etag IS NOT m.etag)
                      AND NOT (\(Pruned.isLeftOut(kind))))
                  AND NOT EXISTS (
                    SELECT 1 FROM list_member m, json_each(m.lists) j
                    LEFT JOIN "\(kind.table)" o ON o.id = m.id
                    LEFT JOIN list c ON c.owner_kind = ?5 AND c.owner_id = m.id AND c.name = j.key
                    WHERE m.list = list.number AND m.version = list.version AND m.lists IS NOT NULL
                      AND (c.number IS NULL OR NOT c.complete OR c.pending OR c.etag IS NOT j.value)
                      AND NOT (\(Pruned.isLeftOut(kind))))
                  AND (?1 IS NULL OR NOT EXISTS (\(unavailableFile(kind))))
                """, [request.formats, url, request.run, kind.plural, kind.name])
        }
    }

    /// Deletes the rows of unavailable pictures in formats that this run doesn't want, and that are no longer requested.
    ///
    /// A run without media, or of some kinds only, deletes none.
    func forgetUnwantedPictures() throws {
        guard let formats = request.formats, request.coversAllKinds else { return }
        var wanted = CatalogueStore.wantedMedia(formats)
        if request.repairsTiles { wanted.tiles = true }
        try db.run(
            """
            DELETE FROM image_file AS f WHERE f.hash IS NULL
              AND NOT EXISTS (SELECT 1 FROM image i WHERE i.pk = f.image AND \(Self.isWanted(wanted)))
            """)
    }

    /// SQL condition: a run with these media requests the file `f` of the picture `i`.
    private static func isWanted(_ media: (formats: PictureFormats, tiles: Bool)) -> String {
        """
        CASE WHEN \(ImageTile.isTile("f.format")) THEN \(media.tiles ? "i.tile_base_url IS NOT NULL" : "0")
          WHEN NOT (\(CatalogueStore.hasAddress)) THEN 0 ELSE \(media.formats.isWantedInFormat) END
        """
    }

    /// SQL: the kind's pictures and documents that the server didn't have, and that are requested again from time to time.
    ///
    /// Pictures take two queries, each with an index. A single query would scan all pictures.
    private func unavailableFile(_ kind: Kind) -> String {
        let media = CatalogueStore.wantedMedia(request.formats ?? "")
        let isWanted = Self.isWanted((media.formats.needed, media.tiles))
        let pictures = ["f.hash IS NULL", "f.unavailable_at IS NOT NULL"].map { isMissing in
            """
            SELECT 1 FROM image_file f CROSS JOIN image i ON i.pk = f.image
            WHERE \(isMissing) AND i.\(kind.name)_id IS NOT NULL AND \(isWanted)
            """
        }
        let documents = """
            SELECT 1 FROM document
            WHERE file_unavailable_at IS NOT NULL AND uri IS NOT NULL AND kept = 0 AND \(kind.name)_id IS NOT NULL
            """
        let files: [String] = (kind.hasPictures ? pictures : []) + (kind.hasDocuments ? [documents] : [])
        return files.isEmpty ? "SELECT 1 WHERE 0" : files.joined(separator: " UNION ALL ")
    }
}
