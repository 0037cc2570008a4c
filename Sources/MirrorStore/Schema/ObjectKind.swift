/// The kinds of object that have a canonical URL and a table of their own, in the API's singular names.
///
/// The order of the cases is the order in which kinds are persisted: a kind refers only to kinds before it.
public enum ObjectKind: String, Sendable, Hashable, CaseIterable, Codable {
    case partner, user, location, artist, artwork, album, show, document

    /// The kinds of which the partner keeps a list of its own: what such a list does not name may be swept.
    public static let listed: [ObjectKind] = [.location, .artist, .artwork, .album, .show]

    /// As the API and messages name several of them: `artworks`.
    package var plural: String { rawValue + "s" }

    /// Whether it has a list of artworks of its own.
    package var hasMembers: Bool { self == .show || self == .album || self == .location }

    package var hasPictures: Bool { self == .artwork || self == .show }
    package var hasDocuments: Bool { self == .artist || self == .show }
    /// Whether pictures or documents belong to objects of this kind.
    package var hasFiles: Bool { hasPictures || hasDocuments }

    /// The table that holds objects of this kind; never a text from outside.
    package var table: String { rawValue }

    /// Columns of the API's fields, in the order in which a record carries their values.
    package var columns: [Column] { Self.columnsByKind[self] ?? [] }

    /// Where ``columns`` has the slug.
    var slugIndex: Int? { Self.slugIndexes[self] }

    private static let slugIndexes: [ObjectKind: Int] = columnsByKind.compactMapValues { columns in
        columns.firstIndex { $0.name == "slug" }
    }

    package struct Column: Sendable, Hashable {
        package let name: String
        package let type: String
    }

    private static let columnsByKind: [ObjectKind: [Column]] = Dictionary(
        uniqueKeysWithValues: ObjectKind.allCases.map { kind in
            (kind, columns(fieldLists[kind] ?? ""))
        })

    /// Reads a list of columns: `name` is text, `name:INTEGER` and `name:REAL` are numbers.
    static func columns(_ words: String) -> [Column] {
        words.split(whereSeparator: \.isWhitespace).map { word in
            let parts = word.split(separator: ":")
            return Column(name: String(parts[0]), type: parts.count > 1 ? String(parts[1]) : "TEXT")
        }
    }

    private static let fieldLists: [ObjectKind: String] = [
        .partner: """
        slug name website email type artworks_count:INTEGER artists_count:INTEGER
        partner_show_documents_count:INTEGER artist_documents_count:INTEGER region contract_type
        relative_size:REAL founding_partner:INTEGER default_profile_id default_profile_public:INTEGER
        subscription_plans_names admin_id admin_name admin_email
        """,
        .user: "name type email",
        .location: """
        slug name address address_2 city state postal_code country phone geo_point_lat:REAL
        geo_point_lng:REAL
        """,
        .artist: """
        slug name sortable_id display_name first middle last years birthday deathday nationality hometown
        awards biography blurb statement image_url updated_at
        """,
        .artwork: """
        slug title display category medium date published:INTEGER availability price
        internal_display_price price_hidden:INTEGER metric width:REAL height:REAL depth:REAL diameter:REAL
        dimensions_in dimensions_cm series signature provenance literature exhibition_history
        additional_information image_rights inventory_id confidential_notes updated_at
        """,
        .album: "slug name description private:INTEGER updated_at",
        .show: "slug name status start_at end_at description updated_at",
        .document: "title filename size:INTEGER uri",
    ]
}
