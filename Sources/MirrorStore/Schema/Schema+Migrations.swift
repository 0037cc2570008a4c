import Catalogue

/// The columns, tables, indexes and triggers that each version after the first added.
extension Schema {
    static func addedColumns(of table: String, in format: Int32) -> [String] {
        addedColumns.filter { $0.table == table && $0.version <= format }.map(\.definition)
    }

    /// The column that marks linked objects: something refers to them, but the list of their kind doesn't contain them.
    ///
    /// A linked object is neither swept nor served in lists. It is deleted when nothing refers to it any more.
    static let linked = "linked INTEGER NOT NULL DEFAULT 0"

    /// The columns that later versions added to existing tables, with the version that added them.
    static let addedColumns: [(version: Int32, table: String, definition: String)] =
        // The files of an object's earlier state (``LostFile``s as JSON).
        [(2, "change", "files TEXT")]
        + builtIn.listed.map { (3, $0.table, linked) }
        + [
            // The media that were wanted when the date was stored.
            (3, "since", "formats TEXT"),
            // `base`: the server's version of the album on which a local edit is based. `sent`: the body of the request that
            // creates the album, stored before it is sent. `local_id`: the id under which it was created locally.
            // `failure`: why the server refused to add or remove an artwork.
            (3, "album", "base TEXT"),
            (3, "album", "sent TEXT"),
            (3, "album", "local_id TEXT"),
            (3, "album_artwork", "failure TEXT"),
            // When a loop is due again, and JSON that it stores for its own use.
            (4, "loop", "next_at TEXT"),
            (4, "loop", "health TEXT"),
            // Whether the server's list of the album's artworks contains the artwork. This is independent of the local edit
            // (`pending`): the list may be older than a pushed edit, so it doesn't show whether the edit was applied.
            (6, "album_artwork", "listed INTEGER NOT NULL DEFAULT 1"),
            // Whether the edit was sent and may have reached the server, although it didn't confirm it.
            (7, "album_artwork", "sent INTEGER NOT NULL DEFAULT 0"),
            // When the server last answered that it doesn't have the file; NULL if it is stored or was never requested.
            (10, "image_file", "unavailable_at TEXT"),
            (10, "document", "file_unavailable_at TEXT"),
            // The addresses of a picture's formats, if it has one for each.
            (11, "image", "image_urls TEXT"),
            // The size of a picture in pixels (`PixelSize`): `NULL` if it was not read yet, 0 if the file is no picture.
            (13, "file", "width INTEGER"), (13, "file", "height INTEGER"),
            // The sort key of the object's name, `NULL` for an artwork; and whether visitors may not see the object.
            (13, "search_entry", "key TEXT"), (13, "search_entry", "hidden INTEGER NOT NULL DEFAULT 0"),
        ]

    /// Version 2: indexes for history and restoring, to find the problems of a run and kept rows.
    static let history =
        ["CREATE INDEX sync_error_of_run ON sync_error(run)"]
        + (builtIn.listed + [.document]).map { kind in
            "CREATE INDEX \(kind.table)_kept ON \"\(kind.table)\"(id) WHERE kept = 1"
        }

    /// Version 3: tables and indexes of the pull loop, and tables for notes and conflicts.
    static let pull =
        builtIn.listed.flatMap { kind in
            [
                "CREATE INDEX \(kind.table)_linked ON \"\(kind.table)\"(id) WHERE linked = 1",
                "CREATE INDEX \(kind.table)_refetch ON \"\(kind.table)\"(id) WHERE refetch = 1",
            ]
        } + [
            """
            CREATE TABLE rival (
              kind TEXT NOT NULL, id TEXT NOT NULL, slug TEXT NOT NULL, settled TEXT, PRIMARY KEY (kind, id)
            ) WITHOUT ROWID
            """,
            "CREATE INDEX rival_of_slug ON rival(kind, slug)",
            """
            CREATE TABLE ghost_try (
              kind TEXT NOT NULL, id TEXT NOT NULL, tried_at TEXT NOT NULL, PRIMARY KEY (kind, id)
            ) WITHOUT ROWID
            """,
            """
            CREATE TABLE pruned (
              kind TEXT NOT NULL, id TEXT NOT NULL, etag TEXT, ended_at TEXT NOT NULL, PRIMARY KEY (kind, id)
            ) WITHOUT ROWID
            """,
            """
            CREATE TABLE note (
              number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL,
              made_at TEXT NOT NULL, edited_at TEXT
            )
            """,
            "CREATE INDEX note_of_object ON note(kind, id)",
            """
            CREATE TABLE conflict (
              seq INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, at TEXT NOT NULL, kind TEXT NOT NULL,
              id TEXT NOT NULL, resolution TEXT NOT NULL CHECK (resolution IN ('local', 'server', 'deleted')),
              local TEXT, server TEXT, server_etag TEXT
            )
            """,
            "CREATE INDEX conflict_of_object ON conflict(kind, id)",
            // Earlier versions stored the clock's time even if the clock had been set back. Times must not decrease.
            """
            UPDATE change SET at = w.latest
            FROM (SELECT seq, max(at) OVER (ORDER BY seq) AS latest FROM change) w
            WHERE w.seq = change.seq AND change.at < w.latest
            """,
        ]

    /// Version 4: the random id of the change log, which is part of every event's id, and the totals of `mirror watch`.
    static let events = [
        "INSERT INTO meta (key, value) VALUES ('log_id', lower(hex(randomblob(8))))",
        "CREATE TABLE tally (name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) WITHOUT ROWID",
    ]

    /// Version 6: sets the new column `listed`.
    static let listed = ["UPDATE album_artwork SET listed = 0 WHERE pending = 'add'"]

    /// Version 7: sets the new column `sent`.
    static let sent = [
        """
        UPDATE album_artwork SET sent = 1
        WHERE pending IS NOT NULL AND failure IS NULL AND album_id IN (SELECT id FROM album WHERE acknowledged = 1)
        """
    ]

    /// Version 9: whether the server reported a pruned show as deleted, although the last list still contains it.
    static let gone = ["ALTER TABLE pruned ADD COLUMN gone INTEGER NOT NULL DEFAULT 0"]

    /// Version 12: whether the server didn't have, or didn't show, the object when it was last requested.
    static let absent = ["ALTER TABLE ghost_try ADD COLUMN absent INTEGER NOT NULL DEFAULT 0"]

    /// Version 10: damaged copies of files, one row for each picture or document that used one (``DamagedFile``).
    static let damaged = [
        """
        CREATE TABLE damaged_file (
          hash TEXT NOT NULL, size INTEGER NOT NULL, path TEXT NOT NULL, type TEXT, digest TEXT,
          found_at TEXT NOT NULL, owner_kind TEXT, owner_id TEXT, role TEXT, id TEXT, format TEXT,
          refused INTEGER NOT NULL DEFAULT 0
        )
        """,
        "CREATE INDEX damaged_file_of_hash ON damaged_file(hash)",
        "CREATE INDEX damaged_file_of_owner ON damaged_file(owner_id)",
    ]

    /// Version 10: sets the times of unavailable files.
    ///
    /// Earlier versions stored when a picture's file was requested, but not when a document's was. So the next sync requests
    /// the files of such documents again.
    static let unavailable = [
        "UPDATE image_file SET unavailable_at = fetched_at WHERE hash IS NULL AND entry <> ''",
        """
        UPDATE document SET file_unavailable_at = '1970-01-01T00:00:00.000Z'
        WHERE file IS NULL AND file_entry IS NOT NULL
        """,
        "CREATE INDEX image_file_unavailable ON image_file(image) WHERE unavailable_at IS NOT NULL",
        "CREATE INDEX document_unavailable ON document(pk) WHERE file_unavailable_at IS NOT NULL",
    ]

    /// Version 11: what a mirror of a described source needs besides the catalogue.
    ///
    /// - `absence`: objects that complete lists lacked (``AbsenceRule``). `run` is the last run that counted; `is_absent` is 1 if
    ///   the object's own URL was absent when it was requested after the last of these lists.
    /// - `request_day`: the requests of each host and UTC day (``CatalogueStore/setRequests(_:to:onDay:)``).
    /// - `artwork_location`: the location that each artwork names (``ObjectRecord/Parts/place``).
    static let sources = [
        """
        CREATE TABLE artwork_location (
          artwork_id TEXT PRIMARY KEY NOT NULL REFERENCES artwork(id) ON DELETE CASCADE ON UPDATE CASCADE,
          location_id TEXT NOT NULL
        ) WITHOUT ROWID
        """,
        "CREATE INDEX artwork_at_location ON artwork_location(location_id)",
        """
        CREATE TABLE absence (
          kind TEXT NOT NULL, id TEXT NOT NULL, lists INTEGER NOT NULL, first_at TEXT NOT NULL, last_at TEXT NOT NULL,
          run INTEGER, is_absent INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (kind, id)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE request_day (
          host TEXT NOT NULL, day TEXT NOT NULL, requests INTEGER NOT NULL, PRIMARY KEY (host, day)
        ) WITHOUT ROWID
        """,
    ]

    /// Version 13: finds the files whose size in pixels was not read yet, and stores the formats of older mirrors.
    ///
    /// The default formats are others since this version, and a mirror keeps those that it has. Earlier versions stored the
    /// wanted media only at the end of a run; `default` was their default.
    static let pixelSizes = [
        "CREATE INDEX file_without_size ON file(hash) WHERE width IS NULL",
        """
        INSERT OR IGNORE INTO meta (key, value) SELECT 'wanted_media', coalesce(
          (SELECT clean_formats FROM list WHERE owner_kind = 'partner' AND clean_formats IS NOT NULL
           ORDER BY name = 'artworks' DESC LIMIT 1), 'default')
        WHERE EXISTS (SELECT 1 FROM image_file)
        """,
    ]

    /// Version 8: indexes and triggers for the queries of every run, so that they don't scan whole tables.
    ///
    /// They find pending edits of albums, runs that haven't ended or were upkeep, and unreferenced files.
    static let upkeep =
        [
            "CREATE INDEX album_artwork_pending ON album_artwork(album_id) WHERE pending IS NOT NULL",
            "CREATE INDEX sync_log_open ON sync_log(run) WHERE ended_at IS NULL",
            "CREATE INDEX sync_log_upkeep ON sync_log(run) WHERE command IN ('restore', 'verify')",
            "CREATE INDEX sync_log_started ON sync_log(started_at)",
            "CREATE INDEX file_released ON file(released_at) WHERE released_at IS NOT NULL",
            "CREATE TABLE loose_file (hash TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID",
            """
            INSERT INTO loose_file (hash) SELECT hash FROM file WHERE released_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM image_file WHERE hash = file.hash)
              AND NOT EXISTS (SELECT 1 FROM document WHERE file = file.hash)
            """,
        ] + fileMarkers

    /// Triggers that store new files and files that lost a reference in `loose_file`, for ``CatalogueStore/collectFiles(in:)``.
    private static let fileMarkers = [
        ("file_made", "INSERT ON file", "1", "NEW.hash"),
        ("file_wanted", "UPDATE OF released_at ON file", "NEW.released_at IS NULL", "NEW.hash"),
        ("image_file_gone", "DELETE ON image_file", "OLD.hash IS NOT NULL", "OLD.hash"),
        ("image_file_other", "UPDATE OF hash ON image_file", "OLD.hash IS NOT NEW.hash", "OLD.hash"),
        ("document_gone", "DELETE ON document", "OLD.file IS NOT NULL", "OLD.file"),
        ("document_other", "UPDATE OF file ON document", "OLD.file IS NOT NEW.file", "OLD.file"),
    ].map { name, event, condition, hash in
        """
        CREATE TRIGGER \(name) AFTER \(event) WHEN \(condition) AND \(hash) IS NOT NULL BEGIN
          INSERT INTO loose_file (hash) VALUES (\(hash)) ON CONFLICT DO NOTHING;
        END
        """
    }
}
