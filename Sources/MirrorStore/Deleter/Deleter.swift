import Catalogue
import GRDB

/// Marks what the server's lists name, and removes the rest, at the end of a run, in one transaction.
///
/// A list marks at the time that it is stored: its members are in `list_member`, the partner's own lists' as well as those of
/// lists under objects that changed. What is stored and not marked goes, objects and members of lists alike, but only in
/// scopes whose own list was complete in this run, and only if the ``DeleteGuard`` agrees to all of it; one objection stops
/// all. A list that names all that is stored of it, and perhaps more, is joined in any case. Rows that the server never
/// acknowledged, ghosts, kept and linked ones are not looked at. What is still referred to becomes a ghost.
struct Deleter {
    let log: ChangeLog
    let request: FinishRequest
    var db: Database { log.db }

    func finish() throws -> FinishReport {
        var report = FinishReport()
        let scopes = request.mayDelete ? try kindScopes() : []
        var losing = try joinGains(&report)
        losing += try settleComplete(waitingDocuments() + waitingPictures())
        try count(&losing, beside: scopes)
        // What a watch finds empty is neither removed nor counted.
        let emptied = request.keepsEmptied ? losing.filter(\.isEmptied) : []
        if request.keepsEmptied { losing.removeAll(where: \.isEmptied) }
        let intents = request.mayDelete ? try scopes.map(\.intent) + self.intents(of: losing) : []
        report.intended = intents.reduce(0) { $0 + $1.deletions }
        report.objections = DeleteGuard(request.limit).objections(to: intents)
        let isSwept = report.objections.isEmpty && request.mayDelete
        if isSwept {
            // Memberships first: an artwork that goes leaves a ghost only where one is left.
            for list in losing { try join(list, &report) }
            for scope in scopes { try sweep(scope, &report) }
            for list in losing { try sweepParts(list, &report) }
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
            // Nothing was removed, and no list of later changes will name what should have been: the next sync lists all again.
            try SinceWriter(db: db).forget(request.since.map(\.kind))
        }
        try hold(isSwept ? emptied : emptied + losing, &report)
        if isSwept, let cursor = request.cursor {
            try CatalogueStore.store(
                cursor: cursor, of: LoopRecord.coreID, kind: .core, at: log.clock, in: db)
        }
        if isSwept { try settleOwedKinds() }
        return report
    }

    // MARK: - Lists under objects

    struct PendingList {
        let number: Int64, version: Int64, members: Int, name: ListName
    }

    /// Lists that changed and whose members the server stands for in this run. Of artworks also those that are not complete:
    /// what was staged of them only adds.
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

    func settle(_ list: Int64) throws {
        try db.run("UPDATE list SET pending = 0 WHERE number = ?", [list])
        try db.run("DELETE FROM list_member WHERE list = ?", [list])
    }

    // MARK: - Kinds

    struct Scope {
        let intent: DeleteGuard.Intent
        let url: String
        let ids: [String]
    }

    func kindScopes() throws -> [Scope] {
        try log.kinds.listed.reversed().compactMap { kind in
            guard request.kinds.contains(kind) else { return nil }
            let lists = try db.rows(
                """
                SELECT number, version, members, url, clean_etag IS NOT NULL AND clean_etag = etag FROM list
                WHERE owner_kind = 'partner' AND name = ? AND complete = 1 AND run = ?
                """, [kind.plural, request.run])
            // A list that is still the one of a clean, swept run has nothing to sweep.
            guard lists.count == 1, let list = lists.first, list[4] == false else { return nil }
            let acknowledged =
                kind.isEdited ? "AND o.acknowledged = 1 AND NOT (\(Self.isMadeMeanwhile))" : ""
            // First by their ids alone, of which there is an index: mostly none is missing, and no row is looked at.
            let ids = try db.texts(
                """
                WITH missing AS MATERIALIZED (
                  SELECT id FROM "\(kind.table)"
                  WHERE id NOT IN (SELECT id FROM list_member WHERE list = ?1 AND version = ?2))
                SELECT o.id FROM missing m CROSS JOIN "\(kind.table)" o ON o.id = m.id
                WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0 \(acknowledged)
                ORDER BY o.id
                """, [list[0] as Int64, list[1] as Int64] + (kind.isEdited ? [request.run] : []))
            let intent = DeleteGuard.Intent(
                kind: kind, held: try Self.held(kind, in: db), listed: list[2], deletions: ids.count)
            return Scope(intent: intent, url: list[3], ids: ids)
        }
    }

    /// Whether the album that SQL calls `o` was made on a served catalogue while this run went on: no list could name it. One
    /// that was made on a mirror meanwhile, and that its server acknowledged, was pushed before the list was asked for.
    private static let isMadeMeanwhile = """
        EXISTS (SELECT 1 FROM meta WHERE key = '\(CatalogueStore.Fact.catalogue.rawValue)' AND value = '1')
        AND EXISTS (SELECT 1 FROM change c WHERE c.kind = 'album' AND c.id = o.id AND c.action = 'create'
          AND c.run IS NULL AND c.seq >= (SELECT r.first_change FROM sync_log r WHERE r.run = ?3))
        """

    /// How many objects the server is known to have had: counted by what they are not, for which there are indexes.
    static func held(_ kind: Kind, in db: Database) throws -> Int {
        let others =
            ["ghost = 1", "ghost = 0 AND kept = 1", "ghost = 0 AND kept = 0 AND linked = 1"]
            + (kind.isEdited ? ["ghost = 0 AND kept = 0 AND linked = 0 AND acknowledged = 0"] : [])
        let counts = others.map { " - (SELECT count(*) FROM \"\(kind.table)\" WHERE \($0))" }
        return try db.number("SELECT (SELECT count(*) FROM \"\(kind.table)\")\(counts.joined())")
            ?? 0
    }

    private func sweep(_ scope: Scope, _ report: inout FinishReport) throws {
        for id in scope.ids {
            let evidence = absence(scope.intent.kind, id, from: scope.url)
            if try ObjectRemover(log: log).remove(scope.intent.kind, id, evidence: evidence) {
                report.lostEdits.append(id)
            }
        }
        if !scope.ids.isEmpty { report.deleted[scope.intent.kind] = scope.ids.count }
    }

    /// The evidence of a deletion: what no longer names it, and who answered that it isn't there.
    func absence(_ kind: Kind, _ key: String, from url: String) -> String {
        "not in \(url)" + (request.notFound[kind]?[key].map { "; 404 from \($0)" } ?? "")
    }
}
