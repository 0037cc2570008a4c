import Catalogue
import GRDB

/// Ends a run by mark and sweep, in one transaction.
///
/// - Mark: the members of a list are in `list_member` since the list was stored. This is true for the partner's own lists and
///   for lists under objects that changed.
/// - Sweep: objects and members that are stored but not marked are removed, if their scope's list was complete in this run.
/// - Delete guard: the ``DeleteGuard`` decides about the whole sweep. One objection stops all of it.
/// - A list that names all of its stored members, and possibly more, is joined in any case.
/// - Ghosts, kept and linked rows, and rows that the server never acknowledged, are not swept.
/// - A removed object that is still referred to becomes a ghost.
struct Deleter {
    let log: ChangeLog
    let request: FinishRequest
    var db: Database { log.db }

    func finish() throws -> FinishReport {
        var report = FinishReport()
        let scopes = request.mayDelete ? try self.scopes() : []
        try confirmMembersOfObjects()
        try stageGatheredArtworks(besides: scopes)
        var shrunk = try joinWithoutLosses(&report)
        shrunk += try settleWithoutLosses(pendingDocuments() + pendingPictures())
        try countLosses(of: &shrunk, besides: scopes)
        // A watch neither sweeps nor counts lists that have become empty.
        let emptied = request.keepsEmptied ? shrunk.filter(\.isEmptied) : []
        if request.keepsEmptied { shrunk.removeAll(where: \.isEmptied) }
        let intents = request.mayDelete ? try scopes.map(\.intent) + self.intents(of: shrunk) : []
        report.intended = intents.reduce(0) { $0 + $1.deletions }
        report.objections = DeleteGuard(request.limit).objections(to: intents)
        let isSwept = report.objections.isEmpty && request.mayDelete
        if isSwept {
            // Memberships first: a deleted artwork leaves a ghost only if a membership still refers to it.
            for list in shrunk { try join(list, &report) }
            for scope in scopes { try sweep(scope, &report) }
            for list in shrunk { try sweepParts(list, &report) }
            try Ghosts(db: db, kinds: log.kinds).prune(linked: log, complete: request.kinds)
        } else {
            try Ghosts(db: db, kinds: log.kinds).prune()
        }
        try RivalSettlement(log: log).settle()
        try forgetUnwantedPictures()
        try rememberWantedMedia()
        try settleLists(swept: isSwept)
        if isSwept {
            try SinceWriter(db: db).write(request.since)
        } else {
            // Nothing was removed, and changes since a date don't include earlier deletions. So the next sync requests the
            // complete lists again.
            try SinceWriter(db: db).forget(request.since.map(\.kind))
        }
        try skip(isSwept ? emptied : emptied + shrunk, &report)
        if isSwept, let cursor = request.cursor {
            try CatalogueStore.store(
                cursor: cursor, of: LoopRecord.coreID, kind: .core, at: log.clock, in: db)
        }
        if isSwept { try settleKindsToListAgain() }
        return report
    }

    // MARK: - Lists under objects

    struct PendingList {
        let number: Int64, version: Int64, members: Int, name: ListName
    }

    /// Lists of a name that changed and that the server answered completely in this run.
    ///
    /// Incomplete lists of artworks are included, because their stored members can only add to the owner's.
    func pending(_ name: String) throws -> [PendingList] {
        try db.rows(
            """
            SELECT number, version, members, url, owner_kind, owner_id, name FROM list
            WHERE pending = 1 AND (complete = 1 OR name = 'artworks') AND run = ? AND name = ? AND owner_kind <> 'partner'
            ORDER BY number
            """, [request.run, name]
        ).compactMap { row in
            guard let kind = log.kinds[row[4]] else { return nil }
            return PendingList(
                number: row[0], version: row[1], members: row[2],
                name: ListName(url: row[3], owner: Owner(kind, row[5]), name: row[6]))
        }
    }

    /// Marks a list as no longer pending, and removes its stored ids.
    func settle(_ list: Int64) throws {
        try db.run("UPDATE list SET pending = 0 WHERE number = ?", [list])
        try db.run("DELETE FROM list_member WHERE list = ?", [list])
    }

    // MARK: - Kinds

    /// A kind whose own list was complete in this run, with the objects that the list no longer contains.
    struct Scope {
        let intent: DeleteGuard.Intent
        /// The list's canonical URL; `nil` for objects that are gathered from artworks.
        let url: String?
        /// The ids of the objects to delete.
        let ids: [String]
        /// The counts of the objects' absences, if the kind has a rule for them (``FinishRequest/absences``).
        var absences: [ExactText: Absence] = [:]
        /// The evidence for the deletions, if they follow from no list.
        var reason = Evidence.namedByNoArtwork
    }

    /// The objects that a sweep would delete, in the order of the kinds in which it deletes them.
    func scopes() throws -> [Scope] {
        let listed = try kindScopes()
        return try listed + gatheredScopes(besides: listed)
    }

    private func kindScopes() throws -> [Scope] {
        try log.kinds.listed.reversed().compactMap { kind in
            if let ids = request.signalled[kind] { return try signalledScope(kind, ids) }
            guard request.kinds.contains(kind) else { return nil }
            let lists = try db.rows(
                """
                SELECT number, version, members, url, clean_etag IS NOT NULL AND clean_etag = etag FROM list
                WHERE owner_kind = 'partner' AND name = ? AND complete = 1 AND run = ?
                """, [kind.plural, request.run])
            // An unchanged list that was clean after an earlier sweep has nothing to sweep, unless several lists are needed.
            guard lists.count == 1, let list = lists.first,
                list[4] == false || request.absences[kind] != nil
            else { return nil }
            var ids = try Self.missing(kind, list: list[0], version: list[1], run: request.run, in: db)
            var absences: [ExactText: Absence] = [:]
            if let rule = request.absences[kind], !ids.isEmpty {
                for absence in try Absence.removable(kind, by: rule, in: db) {
                    absences[ExactText(absence.id)] = absence
                }
                ids.removeAll { absences[ExactText($0)] == nil }
            }
            let intent = DeleteGuard.Intent(
                kind: kind, stored: try Self.storedCount(kind, in: db), listed: list[2], deletions: ids.count)
            return Scope(intent: intent, url: list[3], ids: ids, absences: absences)
        }
    }

    /// The objects of a kind that the server reported as deleted; `nil` if none of them is stored. What the list of this run contains
    /// stays.
    private func signalledScope(_ kind: Kind, _ ids: Set<ExactText>) throws -> Scope? {
        let stored = try db.texts(
            """
            SELECT o.id FROM json_each(?) j CROSS JOIN "\(kind.table)" o ON o.id = j.value
            WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0 AND o.id NOT IN (
              SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
              WHERE l.owner_kind = 'partner' AND l.name = ? AND l.run = ?) ORDER BY o.id
            """, [JSONValue.canonicalText(of: ids.map(\.text)), kind.plural, request.run])
        guard !stored.isEmpty else { return nil }
        let count = try Self.storedCount(kind, in: db)
        return Scope(
            intent: DeleteGuard.Intent(
                kind: kind, stored: count, listed: count - stored.count, deletions: stored.count),
            url: nil, ids: stored, reason: .reportedAsDeleted)
    }

    /// The ids of stored objects that a version of the kind's own list doesn't contain, in order.
    ///
    /// - Parameter run: the run in which the list was complete.
    static func missing(_ kind: Kind, list: Int64, version: Int64, run: Int64, in db: Database) throws
        -> [String]
    {
        let acknowledged =
            kind.isEdited ? "AND o.acknowledged = 1 AND NOT (\(wasCreatedDuringRun))" : ""
        // The first query uses only the index of ids. Usually no id is missing, so no row is read.
        return try db.texts(
            """
            WITH missing AS MATERIALIZED (
              SELECT id FROM "\(kind.table)"
              WHERE id NOT IN (SELECT id FROM list_member WHERE list = ?1 AND version = ?2))
            SELECT o.id FROM missing m CROSS JOIN "\(kind.table)" o ON o.id = m.id
            WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0 \(acknowledged)
            ORDER BY o.id
            """, [list, version] + (kind.isEdited ? [run] : []))
    }

    /// SQL condition: the album `o` was created in a served catalogue during this run, so no list can contain it.
    ///
    /// An album that was created in a mirror of a server, and acknowledged, was pushed before its list was requested.
    private static let wasCreatedDuringRun = """
        EXISTS (SELECT 1 FROM meta WHERE key = '\(CatalogueStore.MetaKey.catalogue.rawValue)' AND value = '1')
        AND EXISTS (SELECT 1 FROM change c WHERE c.kind = 'album' AND c.id = o.id AND c.action = 'create'
          AND c.run IS NULL AND c.seq >= (SELECT r.first_change FROM sync_log r WHERE r.run = ?3))
        """

    /// The number of stored objects that the server has listed.
    ///
    /// Computed by subtracting the other rows, for which there are indexes.
    static func storedCount(_ kind: Kind, in db: Database) throws -> Int {
        let others =
            ["ghost = 1", "ghost = 0 AND kept = 1", "ghost = 0 AND kept = 0 AND linked = 1"]
            + (kind.isEdited ? ["ghost = 0 AND kept = 0 AND linked = 0 AND acknowledged = 0"] : [])
        let counts = others.map { " - (SELECT count(*) FROM \"\(kind.table)\" WHERE \($0))" }
        return try db.number("SELECT (SELECT count(*) FROM \"\(kind.table)\")\(counts.joined())")
            ?? 0
    }

    private func sweep(_ scope: Scope, _ report: inout FinishReport) throws {
        for id in scope.ids {
            let absences = scope.absences[ExactText(id)].map {
                Evidence.Absences(lists: $0.lists, since: $0.firstAt)
            }
            let evidence =
                scope.url.map { absence(scope.intent.kind, id, from: $0, absences) } ?? scope.reason
            if try ObjectRemover(log: log).remove(scope.intent.kind, id, evidence: evidence) {
                report.lostEdits.append(id)
            }
        }
        if !scope.ids.isEmpty { report.deleted[scope.intent.kind] = scope.ids.count }
    }

    /// The evidence for a deletion: the list that no longer contains the object, and the URL that answered 404, if any.
    func absence(
        _ kind: Kind, _ key: String, from url: String, _ absences: Evidence.Absences? = nil
    ) -> Evidence {
        .notListed(by: url, missing: request.notFound[kind]?[key], absences: absences)
    }
}
