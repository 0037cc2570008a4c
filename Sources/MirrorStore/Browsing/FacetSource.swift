import Catalogue

/// How the values of a facet follow from the row `o` of an artwork, in SQL.
struct FacetSource {
    /// The form of the values.
    private enum Form {
        /// One of a few known values.
        case known([String])
        /// SQL: one value, or `NULL`.
        case single(String)
        /// SQL: a value for each row of `tables`, which are joined to `o` by `join`.
        case several(String, tables: String, join: String)
        /// SQL: a value for each field in `facet_field`, which is `f`.
        case fields(String)
    }

    let facet: Facet
    private let form: Form
    /// SQL: the words of the artwork's values, each with a space before it, or an empty text.
    let words: String

    /// Values that are longer are no values of a facet: nobody chooses among texts.
    static let longestValue = 200
    /// The values of the facet `face`: of artworks that visitors may see or may not see, and of other objects that they may see.
    static let visitors = "visitors", hidden = "hidden", others = "others"

    // MARK: - The facets

    /// The facets of artworks.
    ///
    /// - Parameter today: the day of indexing, such as `2026-11-27`.
    static func all(today: String) -> [FacetSource] {
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
            FacetSource(.artistLetter, known: letters, words: word(.artistLetter, "letter(\(artistKey))")),
            FacetSource(.titleLetter, known: letters, words: word(.titleLetter, "letter(sort_key(o.title))")),
            FacetSource(
                .place, known: [""],
                words: """
                    iif(EXISTS (\(places(in: "location_artwork"))) OR EXISTS (\(places(in: "artwork_location"))), '',
                      \(word(.place, is: "")))
                    """),
            FacetSource(.category, text("o.category")), FacetSource(.medium, text("o.medium")),
            FacetSource(.availability, text("o.availability")),
            FacetSource(.century, "CAST(date_century(o.date) AS TEXT)"),
            FacetSource(.decade, "CAST(date_decade(o.date) AS TEXT)"),
            FacetSource(.day, "iif(\(change) > julianday('\(today)') - 101, date(\(change)), NULL)"),
            FacetSource(
                .artist, "p.id",
                tables: "artwork_artist a CROSS JOIN artist p ON p.id = a.artist_id AND p.ghost = 0",
                join: "a.artwork_id = o.id"),
            FacetSource(
                .place, "l.id", tables: "location_artwork m \(location)", join: "m.artwork_id = o.id"),
            // Each place once: a word that occurs twice would be counted twice.
            FacetSource(
                .place, "l.id", tables: "artwork_location m \(location)",
                join: """
                    m.artwork_id = o.id AND NOT EXISTS (
                      SELECT 1 FROM location_artwork x WHERE x.artwork_id = o.id AND x.location_id = m.location_id)
                    """),
            FacetSource(field: field),
        ]
    }

    private init(_ facet: Facet, known: [String], words: String) {
        (self.facet, form, self.words) = (facet, .known(known), words)
    }

    private init(_ facet: Facet, _ value: String) {
        (self.facet, form, words) = (facet, .single(value), Self.word(facet, value))
    }

    private init(_ facet: Facet, _ value: String, tables: String, join: String) {
        (self.facet, form) = (facet, .several(value, tables: tables, join: join))
        words = Self.words("'\(facet.name)'", value, tables, join)
    }

    private init(field value: String) {
        (facet, form) = (.field(""), .fields(value))
        words = Self.words(Self.fieldName, value, "facet_field f", "1")
    }

    /// SQL: the words of all values of a facet, or an empty text.
    private static func words(_ facet: String, _ value: String, _ tables: String, _ join: String) -> String {
        """
        coalesce((SELECT group_concat(' f' || v.number, '') FROM \(tables)
          CROSS JOIN facet_value v ON v.facet = \(facet) AND v.value = \(value) WHERE \(join)), '')
        """
    }

    // MARK: - Values

    /// The values that every index has.
    var known: [String] { if case .known(let values) = form { values } else { [] } }

    /// SQL: queries of facet and value of all values of some artworks that aren't known.
    ///
    /// Artworks are large, so they are read once for the values of all facets with one value, and once more for those of
    /// fields, if there are any.
    ///
    /// - Parameters:
    ///   - artworks: SQL that follows `FROM`, with the artworks as `o`.
    ///   - ids: the same, with only the ids of stored artworks.
    static func values(_ sources: [FacetSource], of artworks: String, ids: String) -> [String] {
        let singles = sources.compactMap { source in
            if case .single(let value) = source.form { "'\(source.facet.name)', \(value)" } else { nil }
        }
        return [
            """
            SELECT DISTINCT j.key, j.atom FROM \(artworks)
            CROSS JOIN json_each(json_object(\(singles.joined(separator: ",\n  ")))) j
            WHERE o.ghost = 0 AND j.type = 'text'
            """
        ]
            + sources.compactMap { source in
                switch source.form {
                case .known, .single: nil
                case .several(let value, let tables, let join):
                    """
                    SELECT DISTINCT '\(source.facet.name)', \(value) FROM \(ids) CROSS JOIN \(tables) WHERE \(join)
                    """
                case .fields(let value):
                    """
                    SELECT DISTINCT \(fieldName), \(value) FROM \(artworks) CROSS JOIN facet_field f
                    WHERE o.ghost = 0 AND EXISTS (SELECT 1 FROM facet_field)
                    """
                }
            }
    }

    /// SQL: the name of the facet of a field.
    private static let fieldName = "'.' || f.name"

    /// SQL: the word of a known value, which SQLite looks up once.
    private static func word(_ facet: Facet, is value: String) -> String {
        "(SELECT ' f' || number FROM facet_value WHERE facet = '\(facet.name)' AND value = '\(value)')"
    }

    /// SQL: the word of a value, or an empty text.
    private static func word(_ facet: Facet, _ value: String) -> String {
        """
        coalesce((SELECT ' f' || number FROM facet_value WHERE facet = '\(facet.name)' AND value = \(value)), '')
        """
    }

    // MARK: - Expressions

    private static func text(_ column: String) -> String {
        "iif(length(\(column)) <= \(longestValue), nullif(trim(\(column)), ''), NULL)"
    }

    /// SQL: the value of the field `f.name`, if it is a text. Damaged JSON has none, so that one row doesn't stop every update.
    private static let field = """
        CASE WHEN json_valid(o.json) THEN
          iif(json_type(o.json, '$.' || f.name) = 'text', \(text("(o.json ->> ('$.' || f.name))")), NULL) END
        """

    /// SQL: joins the stored locations `l` to a table `m` with ids of locations and artworks.
    private static let location = "CROSS JOIN location l ON l.id = m.location_id AND l.ghost = 0"

    /// SQL: the places of the artwork in such a table.
    private static func places(in table: String) -> String {
        "SELECT 1 FROM \(table) m \(location) WHERE m.artwork_id = o.id"
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
