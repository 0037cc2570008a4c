import Catalogue

/// The rule of ``Catalogue/PictureFormats/chosen(among:isFirst:)`` in SQL, so that the store finds wanted files without reading
/// every picture.
extension PictureFormats {
    /// A format that may be wanted of a picture `i`.
    struct Wanted: Sendable {
        /// SQL: its name.
        let format: String
        /// SQL: whether it is wanted of the picture, and offered.
        let condition: String
    }

    /// The formats that may be wanted of a picture `i` with an address. No two of them are the same for one picture.
    var wanted: [Wanted] {
        let largest = Wanted(format: Self.largestOffered, condition: "i.image_versions IS NOT '[]'")
        switch self {
        case .largest: return [largest]
        case .standard:
            let format = Self.literal(Self.firstFormat)
            return [
                largest,
                Wanted(
                    format: format,
                    condition: """
                        \(Self.offers(format)) AND \(Self.isFirst) AND \(Self.largestOffered) <> \(format)
                        AND json_extract(i.json, '$.\(ImageEntry.withdrawn)') IS NOT 1
                        """),
            ]
        case .named(let names):
            return Set(names).sorted().map { name in
                let format = Self.literal(name)
                return Wanted(
                    format: format, condition: "(i.image_versions IS NULL OR \(Self.offers(format)))")
            }
        }
    }

    /// The formats whose files are needed: without the second one of first pictures. If the server doesn't have that, it isn't
    /// reported, and is requested again only when the lists are walked.
    var needed: PictureFormats { self == .standard ? .largest : self }

    /// SQL condition: a picture `i` is wanted in the format of its file `f`, which is no tile.
    var isWantedInFormat: String {
        let any = wanted.map { "f.format = \($0.format) AND \($0.condition)" }.joined(separator: " OR ")
        return any.isEmpty ? "0" : "(\(any))"
    }

    /// SQL: `larger`, or else the largest format that the server offers of the picture `i`; `NULL` if it offers none.
    private static let largestOffered = """
        (SELECT value FROM json_each(coalesce(i.image_versions, '["larger"]')) ORDER BY CASE value
          WHEN 'larger' THEN 0 WHEN 'normalized' THEN 1 WHEN 'medium' THEN 2 WHEN 'square' THEN 3 ELSE 4 END LIMIT 1)
        """

    /// SQL condition: the server offers the picture `i` in a format. False if it doesn't send which formats it offers.
    private static func offers(_ format: String) -> String {
        "EXISTS (SELECT 1 FROM json_each(i.image_versions) WHERE value = \(format))"
    }

    /// SQL condition: the picture `i` is the first of its owner in its role. Of one owner's columns, one is `NULL`, and each
    /// part uses an index.
    private static let isFirst = ["artwork_id", "show_id"].map { owner in
        """
        NOT EXISTS (SELECT 1 FROM image j WHERE j.\(owner) = i.\(owner) AND j.role = i.role
          AND (coalesce(j.is_default, 0), -j.position) > (coalesce(i.is_default, 0), -i.position))
        """
    }.joined(separator: " AND ")

    /// A text in SQL. The names of formats are those of an option or of an app, never the server's.
    private static func literal(_ text: String) -> String {
        "'\(text.replacing("'", with: "''").replacing("\0", with: ""))'"
    }
}
