import Catalogue

extension CatalogueStore {
    /// The sizes of artworks in centimetres. Artworks that aren't stored, or whose size is unknown, are left out.
    package func sizes(ofArtworks ids: [String]) throws -> [ExactText: PhysicalSize] {
        try read { db in
            try db.rows(
                """
                SELECT o.id, o.json FROM json_each(?) j CROSS JOIN artwork o ON o.id = j.value
                WHERE o.ghost = 0 AND o.json IS NOT NULL
                """, [JSONValue.canonicalText(of: ids)]
            ).reduce(into: [:]) { sizes, row in
                sizes[ExactText(row[0])] = (try? Artwork(text: row[1])).flatMap(PhysicalSize.init(of:))
            }
        }
    }
}
