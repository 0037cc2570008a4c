import Catalogue

/// What is wrong, in SQL: written once, for finding it and for repairing it.
enum DefectSQL {
    /// The partner's own lists, of which the mirror has all members or says that it hasn't.
    private static let ownList = "l.owner_kind = 'partner' AND l.complete = 1"

    /// Lists that say another number of members than are stored: address, said, stored.
    static let listLengths = """
        SELECT l.url, l.members,
          (SELECT count(*) FROM list_member m WHERE m.list = l.number AND m.version = l.version) AS stored
        FROM list l WHERE \(ownList) AND l.members <> stored ORDER BY l.url
        """

    static func absent(_ kind: Kind) -> String {
        """
        SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
        LEFT JOIN "\(kind.table)" o ON o.id = m.id
        WHERE \(ownList) AND l.name = '\(kind.plural)' AND (o.id IS NULL OR o.ghost)
          AND NOT \(hasChangedSince("m.id", kind)) AND NOT (\(Pruned.isOut(kind)))
          AND NOT \(isOvertaken(kind)) AND NOT \(isInterrupted) ORDER BY m.position
        """
    }

    /// Whether the run of the list that SQL calls `l` was stopped by force: what it named and did not bring any more is for the
    /// next one to fetch, and what it no longer named is for that to remove.
    private static let isInterrupted =
        "EXISTS (SELECT 1 FROM sync_log r WHERE r.run = l.run AND coalesce(r.outcome, 'killed') = 'killed')"

    /// Whether the list that SQL calls `l` is that of a run which was not complete, and either a later run of the whole mirror
    /// was, or an answer that was made later has been applied to that kind (``AppliedDate``): what changed since a date brought it up to the
    /// present, and of a member that is gone and was never here nothing is noted.
    private static func isOvertaken(_ kind: Kind) -> String {
        """
        EXISTS (SELECT 1 FROM sync_log r WHERE r.run = l.run AND r.outcome <> 'complete'
          AND (EXISTS (SELECT 1 FROM sync_log later WHERE later.run > r.run AND later.outcome = 'complete'
              AND \(CatalogueStore.isWhole))
            OR \(isOlder(kind))))
        """
    }

    /// Whether an answer that was made later than the list that SQL calls `l` has been applied to that kind.
    private static func isOlder(_ kind: Kind) -> String {
        "l.date < (SELECT CAST(value AS REAL) FROM meta WHERE key = '\(AppliedDate.key(kind))')"
    }

    /// Local albums that no server knows yet, what was restored, and what is only referred to, are in no list and need not
    /// be.
    static func unlisted(_ kind: Kind) -> String {
        """
        SELECT o.id FROM "\(kind.table)" o
        WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0\(kind.isAcknowledged)
          AND EXISTS (SELECT 1 FROM list l WHERE \(ownList) AND l.name = '\(kind.plural)' AND NOT \(isOvertaken(kind))
            AND NOT \(isInterrupted))
          AND o.id NOT IN (
            SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
            WHERE \(ownList) AND l.name = '\(kind.plural)')
          AND NOT EXISTS (SELECT 1 FROM list l WHERE \(ownList) AND l.name = '\(kind.plural)'
            AND \(hasChangedSince("o.id", kind)))
          ORDER BY o.id
        """
    }

    /// Whether an object came or went after the list that SQL calls `l` was looked at last, as feeds of events and pulls
    /// since a date bring it, in the same run too where that began anew, and people who edit a catalogue outside any run: then
    /// the list is no evidence.
    private static func hasChangedSince(_ id: String, _ kind: Kind) -> String {
        """
        EXISTS (SELECT 1 FROM change c WHERE c.kind = '\(kind.name)' AND c.id = \(id)
          AND (c.run > l.run
            OR c.run = l.run AND \(isOlder(kind))
            OR c.run IS NULL
            AND c.seq >= coalesce((SELECT r.first_change FROM sync_log r WHERE r.run = l.run), 0)))
        """
    }

    static func ownerless(_ kind: Kind) -> String {
        """
        FROM list WHERE owner_kind = '\(kind.name)' AND pending = 0
          AND NOT EXISTS (SELECT 1 FROM "\(kind.table)" o WHERE o.id = list.owner_id)
        """
    }

    // MARK: - Members

    /// How many members of the list that SQL calls `l` are stored.
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

    /// Address, owner, said, stored; of a list that is `pending` the members still wait to be joined.
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

    static func isBodyless(_ kind: Kind) -> String {
        "ghost = 0 AND (json IS NULL OR NOT json_valid(json))\(kind.isAcknowledged)"
    }

    static let isUnserved = "ghost = 0 AND json IS NOT NULL AND served_etag IS NULL"

    /// Artwork, pictures that its JSON names, pictures that are stored.
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

    /// Owner, its kind, picture. No entry has an empty digest: it marks what has to be fetched again.
    static let lostPictures = """
        SELECT coalesce(i.artwork_id, i.show_id), iif(i.artwork_id IS NULL, 'show', 'artwork'), i.id
        FROM image_file f JOIN image i ON i.pk = f.image WHERE f.entry = '' ORDER BY f.image
        """

    // MARK: - Search and files

    static func notIndexed(_ kind: Kind) -> String {
        """
        SELECT o.id FROM "\(kind.table)" o LEFT JOIN search_entry e ON e.kind = '\(kind.name)' AND e.id = o.id
        WHERE o.ghost = 0 AND (e.number IS NULL
          OR NOT EXISTS (SELECT 1 FROM search s WHERE s.rowid = e.number)) ORDER BY o.id
        """
    }

    static let indexedInVain = """
        SELECT e.kind, e.id FROM search_entry e WHERE NOT EXISTS (
          SELECT 1 FROM artwork o WHERE e.kind = 'artwork' AND o.id = e.id AND o.ghost = 0
          UNION ALL SELECT 1 FROM artist o WHERE e.kind = 'artist' AND o.id = e.id AND o.ghost = 0)
        ORDER BY e.number
        """

    static let isReleasedInUse = """
        released_at IS NOT NULL AND (EXISTS (SELECT 1 FROM image_file WHERE image_file.hash = file.hash)
          OR EXISTS (SELECT 1 FROM document WHERE document.file = file.hash))
        """

    static let isUnnoticed = """
        released_at IS NULL AND NOT EXISTS (SELECT 1 FROM image_file WHERE image_file.hash = file.hash)
          AND NOT EXISTS (SELECT 1 FROM document WHERE document.file = file.hash)
          AND hash NOT IN (SELECT hash FROM loose_file)
        """
}
