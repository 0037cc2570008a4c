import Catalogue

/// The tables of the first version, with the columns that later versions added.
extension Schema {
    /// The statements that create the tables and indexes of the first version.
    ///
    /// - Parameter format: the version up to which added columns are included.
    static func tables(in format: Int32) -> [String] {
        builtIn.objects.map { objectTable($0, in: format) }
            + parts(in: format) + joins(in: format) + bookkeeping(in: format) + indexes + [
                searchEntry(in: format), firstSearchIndex,
            ]
    }

    /// The statements that create the table, indexes and table of members of an app's own kind.
    static func tables(of kind: Kind) -> [String] {
        var statements = [objectTable(kind, in: version, more: kind.isListed ? [linked] : [])]
        func index(_ name: String, _ columns: String) {
            statements.append("CREATE INDEX \(kind.table)_\(name) ON \(columns)")
        }
        if kind.hasMembers {
            statements.append(join(kind.membersTable, kind.name, "artwork"))
            index("of_artwork", "\(kind.membersTable)(artwork_id)")
        }
        if kind.hasSlug { index("slug", "\"\(kind.table)\"(slug)") }
        if kind.isListed {
            for mark in ["ghost", "kept", "linked", "refetch"] {
                index(mark, "\"\(kind.table)\"(id) WHERE \(mark) = 1")
            }
        }
        return statements
    }

    private static func objectTable(_ kind: Kind, in format: Int32, more: [String] = []) -> String {
        let fields = kind.columns.map { "\"\($0.name)\" \($0.type)" }
        var lines = ["id TEXT PRIMARY KEY NOT NULL"] + fields
        if kind.hasLocation { lines.append("location_id TEXT REFERENCES location(id)") }
        lines += state
        if kind.isEdited { lines += localEdits }
        lines += addedColumns(of: kind.table, in: format) + more
        return "CREATE TABLE \"\(kind.table)\" (\n  \(lines.joined(separator: ",\n  "))\n)"
    }

    /// The columns of every object besides its fields.
    private static let state = [
        "json TEXT", "etag TEXT", "served TEXT", "served_etag TEXT",
        "ghost INTEGER NOT NULL DEFAULT 0", "refetch INTEGER NOT NULL DEFAULT 0",
        "kept INTEGER NOT NULL DEFAULT 0",
    ]

    /// The columns of kinds that can be edited locally. An object that the server hasn't acknowledged is never swept.
    private static let localEdits = [
        "sync_state TEXT NOT NULL DEFAULT 'in_sync'", "sync_failure TEXT",
        "acknowledged INTEGER NOT NULL DEFAULT 1", "deleted INTEGER NOT NULL DEFAULT 0",
        "edited_at TEXT", "base_etag TEXT", "idempotency_key TEXT", "edit INTEGER NOT NULL DEFAULT 0",
    ]

    /// SQL: whether a column has one of the values. For `IN` with more than two values, SQLite would build a temporary table for
    /// each inserted row.
    private static func isOne(_ column: String, of values: [String]) -> String {
        values.map { "\(column) = '\($0)'" }.joined(separator: " OR ")
    }

    private static func parts(in format: Int32) -> [String] {
        func more(_ table: String) -> String {
            addedColumns(of: table, in: format).map { "\($0), " }.joined()
        }
        func last(_ table: String) -> String {
            addedColumns(of: table, in: format).map { ", \($0)" }.joined()
        }
        return [
            """
            CREATE TABLE edition_set (
              artwork_id TEXT NOT NULL REFERENCES artwork(id) ON DELETE CASCADE ON UPDATE CASCADE,
              position INTEGER NOT NULL, id TEXT, edition_size TEXT, editions TEXT, available_editions TEXT,
              artist_proofs TEXT, prototypes TEXT, availability TEXT, dimensions_in TEXT, dimensions_cm TEXT,
              duration TEXT, prices TEXT, price_hidden INTEGER, json TEXT NOT NULL, PRIMARY KEY (artwork_id, position)
            ) WITHOUT ROWID
            """,
            """
            CREATE TABLE image (
              pk INTEGER PRIMARY KEY, id TEXT NOT NULL,
              artwork_id TEXT REFERENCES artwork(id) ON DELETE CASCADE ON UPDATE CASCADE,
              show_id TEXT REFERENCES show(id) ON DELETE CASCADE ON UPDATE CASCADE,
              role TEXT NOT NULL CHECK (\(isOne("role", of: ["picture", "installation", "cover"]))),
              position INTEGER NOT NULL, \(firstImageColumns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")),
              entry TEXT NOT NULL, json TEXT NOT NULL, served TEXT, \(more("image"))
              CHECK ((artwork_id IS NULL) <> (show_id IS NULL))
            )
            """,
            """
            CREATE TABLE file (
              hash TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, path TEXT NOT NULL, type TEXT, released_at TEXT\(last("file"))
            )
            """,
            """
            CREATE TABLE image_file (
              image INTEGER NOT NULL REFERENCES image(pk) ON DELETE CASCADE, format TEXT NOT NULL,
              hash TEXT REFERENCES file(hash), entry TEXT NOT NULL, etag TEXT, last_modified TEXT, fetched_at TEXT, \(more("image_file"))
              PRIMARY KEY (image, format)
            ) WITHOUT ROWID
            """,
            """
            CREATE TABLE document (
              pk INTEGER PRIMARY KEY, id TEXT NOT NULL,
              show_id TEXT REFERENCES show(id) ON DELETE CASCADE ON UPDATE CASCADE,
              artist_id TEXT REFERENCES artist(id) ON DELETE CASCADE ON UPDATE CASCADE,
              title TEXT, filename TEXT, size INTEGER, uri TEXT, \(state.joined(separator: ", ")),
              file TEXT REFERENCES file(hash), file_entry TEXT, file_etag TEXT, file_last_modified TEXT,
              \(more("document"))
              CHECK ((artist_id IS NULL) <> (show_id IS NULL))
            )
            """,
        ]
    }

    /// The columns of a picture's fields that the first version had.
    private static var firstImageColumns: [Column] {
        let later = addedColumns.filter { $0.table == "image" }.map(\.definition)
        return ImageEntry.columns.filter { column in !later.contains { $0.hasPrefix("\(column.name) ") } }
    }

    private static func joins(in format: Int32) -> [String] {
        let edits = ["pending TEXT CHECK (pending IN ('add', 'remove'))"]
        return [
            join("artwork_artist", "artwork", "artist"), join("show_artwork", "show", "artwork"),
            join("show_artist", "show", "artist"),
            join(
                "album_artwork", "album", "artwork",
                more: edits + addedColumns(of: "album_artwork", in: format)),
            join("location_artwork", "location", "artwork"),
        ]
    }

    private static func join(_ table: String, _ owner: String, _ member: String, more: [String] = [])
        -> String
    {
        """
        CREATE TABLE \(table) (
          \(owner)_id TEXT NOT NULL REFERENCES "\(owner)"(id) ON DELETE CASCADE ON UPDATE CASCADE,
          position INTEGER NOT NULL,
          \(member)_id TEXT NOT NULL REFERENCES "\(member)"(id) ON UPDATE CASCADE,
          \((more + ["PRIMARY KEY (\(owner)_id, position)"]).joined(separator: ", "))
        ) WITHOUT ROWID
        """
    }

    static func bookkeeping(in format: Int32) -> [String] {
        func more(_ table: String) -> String {
            addedColumns(of: table, in: format).map { ", \($0)" }.joined()
        }
        return [
            """
            CREATE TABLE partner_flag (key TEXT PRIMARY KEY NOT NULL, value TEXT, set_at TEXT)
            """,
            """
            CREATE TABLE list (
              number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, owner_kind TEXT NOT NULL, owner_id TEXT NOT NULL,
              name TEXT NOT NULL, etag TEXT, date REAL, complete INTEGER NOT NULL DEFAULT 0,
              members INTEGER NOT NULL DEFAULT 0, run INTEGER, version INTEGER NOT NULL DEFAULT 0,
              pending INTEGER NOT NULL DEFAULT 0, clean_etag TEXT, clean_formats TEXT
            )
            """,
            """
            CREATE TABLE list_member (
              list INTEGER NOT NULL REFERENCES list(number) ON DELETE CASCADE, version INTEGER NOT NULL,
              position INTEGER NOT NULL, id TEXT NOT NULL, etag TEXT, lists TEXT,
              PRIMARY KEY (list, version, position)
            ) WITHOUT ROWID
            """,
            """
            CREATE TABLE change (
              seq INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, at TEXT NOT NULL, kind TEXT NOT NULL,
              id TEXT NOT NULL, owner TEXT,
              action TEXT NOT NULL CHECK (\(isOne("action", of: ["create", "update", "delete"]))),
              list TEXT, before TEXT, evidence TEXT\(more("change"))
            )
            """,
            """
            CREATE TABLE sync_log (
              run INTEGER PRIMARY KEY AUTOINCREMENT, command TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
              outcome TEXT, summary TEXT, first_change INTEGER NOT NULL DEFAULT 1
            )
            """,
            """
            CREATE TABLE sync_error (
              run INTEGER NOT NULL REFERENCES sync_log(run) ON DELETE CASCADE, at TEXT NOT NULL, what TEXT NOT NULL,
              kind TEXT, id TEXT, message TEXT NOT NULL
            )
            """,
            """
            CREATE TABLE loop (
              id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, cursor TEXT, state TEXT NOT NULL DEFAULT 'enabled',
              failures INTEGER NOT NULL DEFAULT 0, last_at TEXT, message TEXT\(more("loop"))
            )
            """,
            "CREATE TABLE since (kind TEXT PRIMARY KEY NOT NULL, since TEXT, audited_at TEXT\(more("since")))",
            """
            CREATE TABLE served_request (
              key TEXT PRIMARY KEY NOT NULL, object_id TEXT NOT NULL, made_at REAL NOT NULL
            ) WITHOUT ROWID
            """,
            "CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT)",
        ]
    }

    private static let indexes =
        DeferredIndexes.definitions + [
            "CREATE UNIQUE INDEX image_of_artwork ON image(artwork_id, role, id) WHERE artwork_id IS NOT NULL",
            "CREATE UNIQUE INDEX image_of_show ON image(show_id, role, id) WHERE show_id IS NOT NULL",
            "CREATE INDEX image_file_of_hash ON image_file(hash)",
            "CREATE UNIQUE INDEX document_of_show ON document(show_id, id) WHERE show_id IS NOT NULL",
            "CREATE UNIQUE INDEX document_of_artist ON document(artist_id, id) WHERE artist_id IS NOT NULL",
            "CREATE INDEX document_of_file ON document(file) WHERE file IS NOT NULL",
            "CREATE INDEX show_of_artwork ON show_artwork(artwork_id)",
            "CREATE INDEX show_of_artist ON show_artist(artist_id)",
            "CREATE INDEX album_of_artwork ON album_artwork(artwork_id)",
            "CREATE INDEX location_of_artwork ON location_artwork(artwork_id)",
            "CREATE INDEX show_at_location ON show(location_id)",
            "CREATE INDEX list_of_owner ON list(owner_kind, owner_id)",
            "CREATE INDEX list_pending ON list(pending) WHERE pending = 1",
            "CREATE INDEX change_of_object ON change(kind, id)",
            "CREATE INDEX show_slug ON show(slug)", "CREATE INDEX album_slug ON album(slug)",
            "CREATE INDEX location_slug ON location(slug)",
            "CREATE INDEX artwork_ghost ON artwork(id) WHERE ghost = 1",
            "CREATE INDEX artist_ghost ON artist(id) WHERE ghost = 1",
            "CREATE INDEX show_ghost ON show(id) WHERE ghost = 1",
            "CREATE INDEX location_ghost ON location(id) WHERE ghost = 1",
        ]

    private static func searchEntry(in format: Int32) -> String {
        let more = addedColumns(of: "search_entry", in: format).map { "\($0), " }.joined()
        return """
            CREATE TABLE search_entry (
              number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, \(more)UNIQUE (kind, id)
            )
            """
    }

    /// The search index before version 13, which dropped it.
    private static let firstSearchIndex = """
        CREATE VIRTUAL TABLE search USING fts5(
          title, artist, text, tokenize = "unicode61 remove_diacritics 2"
        )
        """

    /// The search index. The column `words` has the words of an artwork's facets (``Schema/browsing``). People's words are
    /// searched for in the other columns. With `prefix`, the words that begin with one or two letters are found at once:
    /// otherwise those of half the catalogue would be gathered for each search.
    static let searchIndex = """
        CREATE VIRTUAL TABLE search USING fts5(
          title, artist, text, words, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2'
        )
        """
}

extension Kind {
    /// The table that joins the kind's objects with their artworks.
    var membersTable: String { "\(name)_artwork" }

    /// The table that joins the kind's objects with their artists.
    var artistsTable: String { "\(name)_artist" }

    /// The tables of the parts of the kind's objects. Each has a column ``Kind/idColumn``.
    var partTables: [String] {
        (self == .artwork ? ["edition_set", "artwork_location"] : []) + (hasPictures ? ["image"] : [])
            + (hasDocuments ? ["document"] : []) + (hasMembers ? [membersTable] : [])
            + (hasArtists ? [artistsTable] : [])
    }
}
