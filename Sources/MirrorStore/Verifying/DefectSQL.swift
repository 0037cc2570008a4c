import Catalogue

/// The SQL that finds defects, shared by checks and repairs.
enum DefectSQL {
    /// The partner's own lists that were answered completely.
    private static let ownList = "l.owner_kind = 'partner' AND l.complete = 1"

    /// Lists with another number of members than are stored. Columns: URL, number in the list, number stored.
    static let listLengths = """
        SELECT l.url, l.members,
          (SELECT count(*) FROM list_member m WHERE m.list = l.number AND m.version = l.version) AS stored
        FROM list l WHERE \(ownList) AND l.members <> stored ORDER BY l.url
        """

    /// Ids that the kind's own list contains and that aren't stored.
    static func absent(_ kind: Kind) -> String {
        """
        SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
        LEFT JOIN "\(kind.table)" o ON o.id = m.id
        WHERE \(ownList) AND l.name = '\(kind.plural)' AND (o.id IS NULL OR o.ghost)
          AND NOT \(hasChangedSince("m.id", kind)) AND NOT (\(Pruned.isOut(kind)))
          AND NOT \(isSuperseded(kind)) AND NOT \(isInterrupted) AND NOT (\(isAbsentAtSource(kind)))
          ORDER BY m.position
        """
    }

    /// Condition: the server of a described source didn't have the listed object `m` when it was last requested.
    static func isAbsentAtSource(_ kind: Kind) -> String {
        """
        EXISTS (SELECT 1 FROM ghost_try t WHERE t.kind = '\(kind.name)' AND t.id = m.id AND t.absent = 1)
        AND \(Ghosts.isOfSource)
        """
    }

    /// Condition: the run that stored the list `l` was killed.
    ///
    /// The next run fetches the members that are still missing, and removes the objects that the list no longer contains.
    private static let isInterrupted =
        "EXISTS (SELECT 1 FROM sync_log r WHERE r.run = l.run AND coalesce(r.outcome, 'killed') = 'killed')"

    /// Condition: the list `l` is from an incomplete run, and newer data of the kind was applied since.
    ///
    /// Newer data is a later complete run of the whole mirror, or a later answer about the kind (``AppliedDate``). Changes since
    /// a date bring a kind up to date without a new list, and nothing is logged for a member that was deleted on the server
    /// before it was ever stored.
    private static func isSuperseded(_ kind: Kind) -> String {
        """
        EXISTS (SELECT 1 FROM sync_log r WHERE r.run = l.run AND r.outcome <> 'complete'
          AND (EXISTS (SELECT 1 FROM sync_log later WHERE later.run > r.run AND later.outcome = 'complete'
              AND \(CatalogueStore.coversAllKinds))
            OR \(isOlder(kind))))
        """
    }

    /// Condition: an answer that the server made after the list `l` has been applied to the kind.
    private static func isOlder(_ kind: Kind) -> String {
        "l.date < (SELECT CAST(value AS REAL) FROM meta WHERE key = '\(AppliedDate.key(kind))')"
    }

    /// Ids of stored objects that the kind's own list doesn't contain.
    ///
    /// Albums that the server hasn't acknowledged, kept objects, linked objects, and objects whose absences are counted
    /// (``AbsenceRule``) aren't expected in a list. Nor are those that only an earlier selection of a described source listed.
    static func unlisted(_ kind: Kind) -> String {
        """
        SELECT o.id FROM "\(kind.table)" o
        WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0\(kind.isAcknowledged) AND NOT \(hasFormerSelection)
          AND NOT EXISTS (SELECT 1 FROM absence a WHERE a.kind = '\(kind.name)' AND a.id = o.id)
          AND EXISTS (SELECT 1 FROM list l WHERE \(ownList) AND l.name = '\(kind.plural)' AND NOT \(isSuperseded(kind))
            AND NOT \(isInterrupted))
          AND o.id NOT IN (
            SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
            WHERE \(ownList) AND l.name = '\(kind.plural)')
          AND NOT EXISTS (SELECT 1 FROM list l WHERE \(ownList) AND l.name = '\(kind.plural)'
            AND \(hasChangedSince("o.id", kind)))
          ORDER BY o.id
        """
    }

    /// Condition: the mirror may have objects of an earlier selection (``RememberedSource/hasFormerSelection``).
    private static let hasFormerSelection = """
        EXISTS (SELECT 1 FROM meta WHERE key = '\(CatalogueStore.MetaKey.source.rawValue)' AND value ->> 'former_selection')
        """

    /// Condition: the object was created, changed or deleted after the list `l` was last checked, so the list proves nothing.
    ///
    /// Such changes are made by:
    /// - events, and pulls since a date, also in the same run if it started again;
    /// - edits of a served catalogue, outside any run.
    private static func hasChangedSince(_ id: String, _ kind: Kind) -> String {
        """
        EXISTS (SELECT 1 FROM change c WHERE c.kind = '\(kind.name)' AND c.id = \(id)
          AND (c.run > l.run
            OR c.run = l.run AND \(isOlder(kind))
            OR c.run IS NULL
            AND c.seq >= coalesce((SELECT r.first_change FROM sync_log r WHERE r.run = l.run), 0)))
        """
    }

    /// `FROM` clause: lists under objects of the kind that aren't stored.
    static func ownerless(_ kind: Kind) -> String {
        """
        FROM list WHERE owner_kind = '\(kind.name)' AND pending = 0
          AND NOT EXISTS (SELECT 1 FROM "\(kind.table)" o WHERE o.id = list.owner_id)
        """
    }

    // MARK: - Members

    /// `FROM` clause: the stored members of the list `l`.
    private static func stored(_ kind: Kind, _ list: ObjectList) -> String {
        let owner = kind.idColumn
        let listed = kind.isEdited ? " AND \(Membership.isListed)" : ""
        return switch list {
        case .artworks: "FROM \(kind.name)_artwork WHERE \(owner) = l.owner_id\(listed)"
        case .documents: "FROM document WHERE \(owner) = l.owner_id AND kept = 0"
        case .installationShots, .cover:
            "FROM image WHERE \(owner) = l.owner_id AND role = '\(list.imageRole?.rawValue ?? "")'"
        }
    }

    /// Lists under objects with another number of members than are stored, except those that are still to be joined
    /// (`pending`). Columns: URL, owner, number in the list, number stored.
    static func members(_ kind: Kind, _ list: ObjectList) -> String {
        """
        SELECT l.url, l.owner_id, l.members, (SELECT count(*) \(stored(kind, list))) AS stored FROM list l
        WHERE l.owner_kind = '\(kind.name)' AND l.name = '\(list.rawValue)'
          AND l.complete = 1 AND l.pending = 0 AND l.members <> stored
          AND EXISTS (SELECT 1 FROM "\(kind.table)" o WHERE o.id = l.owner_id AND o.ghost = 0)
        ORDER BY l.url
        """
    }

    // MARK: - Objects

    static func hasNoBody(_ kind: Kind) -> String {
        "ghost = 0 AND (json IS NULL OR NOT json_valid(json))\(kind.isAcknowledged)"
    }

    static let isUnserved = "ghost = 0 AND json IS NOT NULL AND served_etag IS NULL"

    /// Artworks with another number of pictures than are stored. Columns: artwork, number in its JSON, number stored.
    static let pictures = """
        SELECT a.id,
          (SELECT count(DISTINCT json_extract(j.value, '$.id')) FROM json_each(a.json, '$.images') j
           WHERE j.type = 'object' AND trim(coalesce(json_extract(j.value, '$.id'), '')) <> '') AS said,
          (SELECT count(*) FROM image i WHERE i.artwork_id = a.id AND i.role = 'picture') AS stored
        FROM artwork a WHERE a.ghost = 0 AND json_valid(a.json) AND said <> stored ORDER BY a.id
        """

    static func isPictureOfGhost(_ kind: Kind) -> String {
        "EXISTS (SELECT 1 FROM \"\(kind.table)\" o WHERE o.id = image.\(kind.idColumn) AND o.ghost = 1)"
    }

    /// Pictures whose file has to be fetched again, which an empty `entry` marks. Columns: owner, its kind, picture.
    static let lostPictures = """
        SELECT coalesce(i.artwork_id, i.show_id), iif(i.artwork_id IS NULL, 'show', 'artwork'), i.id
        FROM image_file f JOIN image i ON i.pk = f.image WHERE f.entry = '' ORDER BY f.image
        """

    // MARK: - Search and files

    static func notIndexed(_ kind: Kind) -> String {
        let isUnlisted =
            kind == .artwork
            ? "OR NOT EXISTS (SELECT 1 FROM artwork_entry n WHERE n.number = e.number AND n.id = o.id)" : ""
        return """
            SELECT o.id FROM "\(kind.table)" o LEFT JOIN search_entry e ON e.kind = '\(kind.name)' AND e.id = o.id
            WHERE o.ghost = 0 AND (e.number IS NULL
              OR NOT EXISTS (SELECT 1 FROM search s WHERE s.rowid = e.number) \(isUnlisted)) ORDER BY o.id
            """
    }

    /// 1 if the index for lists has entries of artworks that aren't in the search index, or an order has another number of
    /// places, or of artworks with words, than there are entries; otherwise 0.
    static let isListIndexIncomplete: String = {
        let all = "SELECT 'f' || number FROM facet_value WHERE facet = '\(Facet.all.name)' AND value = ''"
        let orders = ArtworkSort.allCases.map { sort in
            """
            OR n <> (SELECT count(*) FROM \(sort.places))
            OR n <> (SELECT count(*) FROM \(sort.table) WHERE \(sort.table) MATCH coalesce((\(all)), 'none'))
            """
        }
        return """
            SELECT n > (SELECT count(*) FROM search_entry WHERE kind = 'artwork') \(orders.joined(separator: " "))
            FROM (SELECT count(*) AS n FROM artwork_entry)
            """
    }()

    static let staleIndexEntries = """
        SELECT e.kind, e.id FROM search_entry e WHERE NOT EXISTS (
          SELECT 1 FROM artwork o WHERE e.kind = 'artwork' AND o.id = e.id AND o.ghost = 0
          UNION ALL SELECT 1 FROM artist o WHERE e.kind = 'artist' AND o.id = e.id AND o.ghost = 0
          UNION ALL SELECT 1 FROM show o WHERE e.kind = 'show' AND o.id = e.id AND o.ghost = 0
          UNION ALL SELECT 1 FROM location o WHERE e.kind = 'location' AND o.id = e.id AND o.ghost = 0
          -- Albums are edited at any time, and their entries are updated by the next run.
          UNION ALL SELECT 1 WHERE e.kind = 'album')
        ORDER BY e.number
        """

    static let isReleasedInUse = """
        released_at IS NOT NULL AND (EXISTS (SELECT 1 FROM image_file WHERE image_file.hash = file.hash)
          OR EXISTS (SELECT 1 FROM document WHERE document.file = file.hash))
        """

    /// Condition: nothing uses the file, and it isn't queued for removal.
    static let isUntracked = """
        released_at IS NULL AND NOT EXISTS (SELECT 1 FROM image_file WHERE image_file.hash = file.hash)
          AND NOT EXISTS (SELECT 1 FROM document WHERE document.file = file.hash)
          AND hash NOT IN (SELECT hash FROM loose_file)
        """
}
