import Catalogue

/// How the values of a facet follow from the row `o` of an artwork, in SQL.
struct FacetSource {
    /// The form of the values.
    private enum Form {
        /// Only known values.
        case known
        /// SQL: one value, or `NULL`.
        case single(String)
        /// The ids of the stored objects of a kind that some tables link to `o`.
        case objects(Kind, [Link])
    }

    /// Rows `m` of a table that link `o` to other objects.
    private struct Link {
        let table: String
        /// SQL: the id of the other object.
        let id: String
        /// SQL: whether the row is one of `o`.
        let condition: String

        init(_ table: String, _ id: String, _ condition: String) {
            (self.table, self.id, self.condition) = (table, id, condition)
        }
    }

    let facet: Facet
    /// The values that every index has.
    let known: [String]
    private let form: Form
    /// SQL: joins the row of the artwork's value to `o`. Empty for facets with several values. A join opens the table once for
    /// all artworks, a subquery for each.
    let join: String
    /// SQL: the words of the artwork's values, each with a space before it, or an empty text.
    let words: String

    /// Values that are longer are no values of a facet: nobody chooses among texts.
    static let longestValue = 200
    /// The values of the facet `face`: of artworks that visitors may see or may not see, and of other objects that they may see.
    static let visitors = "visitors", hidden = "hidden", others = "others"

    // MARK: - The facets

    /// The facets of artworks, which are the rows `o` of ``ArtworkIndexSQL/Scope/rows(withKeys:)``.
    ///
    /// - Parameters:
    ///   - today: the day of indexing, such as `2026-11-27`.
    ///   - fields: the names of the fields without a column that are filters: letters, digits and `_`.
    static func all(today: String, fields: [String]) -> [FacetSource] {
        [
            FacetSource(.all, known: [""], words: word(.all, is: "")),
            // Not of artworks: the kinds of the other objects in the search index.
            FacetSource(.kind, known: ["artist", "show", "album", "location"], words: "''"),
            FacetSource(
                .face, known: [visitors, hidden, others],
                words:
                    "iif(\(Face.isHidden(.artwork, "o")), \(word(.face, is: hidden)), \(word(.face, is: visitors)))"
            ),
            FacetSource(
                .pictures, known: ["here", "none"],
                words: """
                    iif(\(PictureChooser.hasChoice), \(word(.pictures, is: "here")),
                      \(word(.pictures, is: "none")))
                    """),
            FacetSource(
                .editions, known: ["yes", "no"],
                words: """
                    iif(EXISTS (SELECT 1 FROM edition_set s WHERE s.artwork_id = o.id), \(word(.editions, is: "yes")),
                      \(word(.editions, is: "no")))
                    """),
            FacetSource(.artistLetter, known: letters, "letter(o.artist_key)"),
            FacetSource(.titleLetter, known: letters, "letter(o.title_key)"),
            FacetSource(.category, text("o.category")), FacetSource(.medium, text("o.medium")),
            FacetSource(.availability, text("o.availability")),
            FacetSource(.century, "CAST(date_century(o.date) AS TEXT)"),
            FacetSource(.decade, "CAST(date_decade(o.date) AS TEXT)"),
            FacetSource(.day, "iif(o.changed > julianday('\(today)') - 101, date(o.changed), NULL)"),
            FacetSource(.artist, .artist, [Link("artwork_artist", "m.artist_id", "m.artwork_id = o.id")]),
            FacetSource(
                .place, .location,
                [
                    Link("location_artwork", "m.location_id", "m.artwork_id = o.id"),
                    // Each place once: a word that occurs twice would be counted twice.
                    Link(
                        "artwork_location", "m.location_id",
                        """
                        m.artwork_id = o.id AND NOT EXISTS (
                          SELECT 1 FROM location_artwork x WHERE x.artwork_id = o.id AND x.location_id = m.location_id)
                        """),
                ], none: ""),
        ] + fields.map { FacetSource(.field($0), field($0)) }
    }

    private init(_ facet: Facet, known: [String], words: String) {
        (self.facet, self.known, form, join, self.words) = (facet, known, .known, "", words)
    }

    private init(_ facet: Facet, known: [String] = [], _ value: String) {
        (self.facet, self.known, form) = (facet, known, .single(value))
        // Names of fields may differ only in case, which quoted names in SQL don't.
        let name = "\"\(facet.name.utf8.map { String($0, radix: 16) }.joined())\""
        join =
            "LEFT JOIN facet_value AS \(name) ON \(name).facet = '\(facet.name)' AND \(name).value = \(value)"
        words = "coalesce(' f' || \(name).number, '')"
    }

    /// - Parameter none: the value of artworks that are linked to no object.
    private init(_ facet: Facet, _ kind: Kind, _ links: [Link], none: String? = nil) {
        (self.facet, known, form, join) = (facet, none.map { [$0] } ?? [], .objects(kind, links), "")
        let all = links.map { link in
            """
            coalesce((SELECT group_concat(' f' || v.number, '') FROM \(link.table) m
              CROSS JOIN facet_value v ON v.facet = '\(facet.name)' AND v.value = \(link.id)
              WHERE \(link.condition) AND \(Self.isStored(kind, link.id))), '')
            """
        }.joined(separator: " || ")
        words = none.map { "coalesce(nullif(\(all), ''), \(Self.word(facet, is: $0)))" } ?? all
    }

    // MARK: - Values

    /// SQL: queries of facet and value of all values of some artworks that aren't known.
    ///
    /// Artworks are large, so they are read once for the values of all facets with one value. If all artworks are indexed, all
    /// artists and places are values, also those without an artwork.
    static func values(_ sources: [FacetSource], of scope: ArtworkIndexSQL.Scope) -> [String] {
        let singles = sources.compactMap { source in
            if case .single(let value) = source.form, source.known.isEmpty {
                "'\(source.facet.name)', \(value)"
            } else {
                nil
            }
        }
        return [
            """
            SELECT DISTINCT j.key, j.atom FROM \(scope.rows(withKeys: false))
            CROSS JOIN json_each(json_object(\(singles.joined(separator: ",\n  ")))) j WHERE j.type = 'text'
            """
        ]
            + sources.flatMap { source -> [String] in
                guard case .objects(let kind, let links) = source.form else { return [] }
                return switch scope {
                case .all: ["SELECT '\(source.facet.name)', id FROM \(kind.table) WHERE ghost = 0"]
                case .queued:
                    links.map { link in
                        """
                        SELECT DISTINCT '\(source.facet.name)', \(link.id) FROM \(scope.ids) CROSS JOIN \(link.table) m
                        WHERE \(link.condition) AND \(isStored(kind, link.id))
                        """
                    }
                }
            }
    }

    /// SQL: the word of a known value, which SQLite looks up once.
    private static func word(_ facet: Facet, is value: String) -> String {
        "(SELECT ' f' || number FROM facet_value WHERE facet = '\(facet.name)' AND value = '\(value)')"
    }

    // MARK: - Expressions

    private static func text(_ column: String) -> String {
        "iif(length(\(column)) <= \(longestValue), nullif(trim(\(column)), ''), NULL)"
    }

    /// SQL: the value of a field, if it is a text. Damaged JSON has none, so that one row doesn't stop every update.
    private static func field(_ name: String) -> String {
        """
        CASE WHEN json_valid(o.json) THEN
          iif(json_type(o.json, '$.\(name)') = 'text', \(text("(o.json ->> '$.\(name)')")), NULL) END
        """
    }

    /// SQL: whether an artist or location that something refers to is stored. Those that aren't are few and have an index of
    /// their own, so no object is read.
    private static func isStored(_ kind: Kind, _ id: String) -> String {
        "NOT EXISTS (SELECT 1 FROM \(kind.table) g INDEXED BY \(kind.table)_ghost WHERE g.id = \(id) AND g.ghost = 1)"
    }

    private static let letters =
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(Unicode.Scalar($0)) } + ["#"]

    /// SQL: the sort key of the first artist; `NULL` if there is none.
    static let artistKey = """
        (SELECT n.key FROM artwork_artist a CROSS JOIN search_entry n ON n.kind = 'artist' AND n.id = a.artist_id
          WHERE a.artwork_id = o.id ORDER BY a.position LIMIT 1)
        """

    /// SQL: the Julian day of the latest change; `NULL` if none is known.
    ///
    /// It is what the server says, or else the time of the last logged change after the first copy.
    static let change = """
        coalesce(iif(o.updated_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*', julianday(o.updated_at), NULL),
          (SELECT julianday(max(c.at)) FROM change c WHERE c.kind = 'artwork' AND c.id = o.id AND c.action <> 'delete'
            AND \(ChangeLog.isAfterFirstCopy("c"))))
        """
}
