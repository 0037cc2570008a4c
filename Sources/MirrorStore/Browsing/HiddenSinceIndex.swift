import Catalogue

extension CatalogueReader {
    /// The number of artworks that a face may no longer see, although the index still has them as visible.
    ///
    /// A run hides an artwork at once, but updates the index at its end. Until then counts, filters and searches leave these
    /// artworks out, or are left out themselves.
    func hiddenSinceIndex(for face: Face) throws -> Int {
        guard !face.seesAll,
            try db.isTrue(
                """
                SELECT coalesce((SELECT max(seq) FROM change), 0) > coalesce(
                  (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed_change'), 0)
                """)
        else { return 0 }
        return try db.number(
            """
            SELECT count(*) FROM artwork o CROSS JOIN artwork_entry e ON e.id = o.id
            WHERE \(Face.isHidden(.artwork, "o")) AND o.ghost = 0 AND e.hidden = 0
            """) ?? 0
    }
}
