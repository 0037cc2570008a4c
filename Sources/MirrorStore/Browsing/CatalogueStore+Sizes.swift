import Catalogue
import GRDB

extension CatalogueStore {
    /// The sizes of artworks in centimetres. Artworks that aren't stored, or whose size is unknown, are left out.
    ///
    /// They are read from columns: reading the whole JSON of a hundred works took a fifth of the time of a page with a wall.
    package func sizes(ofArtworks ids: [String]) throws -> [ExactText: PhysicalSize] {
        try read { db in
            try db.rows(
                """
                SELECT o.id, o.dimensions_cm, o.dimensions_in, coalesce(o.metric,
                    CASE WHEN coalesce(o.height, o.diameter) IS NOT NULL AND json_valid(o.json)
                      THEN CAST(o.json ->> '$.units' AS TEXT) END),
                  o.height, o.width, o.depth, o.diameter
                FROM json_each(?) j CROSS JOIN artwork o ON o.id = j.value
                WHERE o.ghost = 0 AND o.json IS NOT NULL
                """, [JSONValue.canonicalText(of: ids)]
            ).reduce(into: [:]) { sizes, row in
                var fields = SizeFields()
                (fields.centimetres, fields.inches, fields.unit) = (row[1], row[2], row[3])
                (fields.height, fields.width, fields.depth, fields.diameter) = (
                    row[4], row[5], row[6], row[7]
                )
                sizes[ExactText(row[0])] = PhysicalSize(fields)
            }
        }
    }
}
