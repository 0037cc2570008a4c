import Catalogue
import GRDB
import MirrorStore

/// Invariant 3: every change that the feed reported up to the stored cursor is in the mirror, in that version or a later
/// one.
struct CursorCheck {
    let catalogue: PartnerCatalogue
    let traits: PartnerTraits
    /// Whether the mirror prunes shows.
    let prunes: Bool
    /// Ids of objects that were reported as failed: the next sync requests them again, as their lists name them.
    let failed: Set<String>

    static func cursor(_ db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT cursor FROM loop WHERE id = ?"), arguments: [LoopRecord.coreID])
    }

    func violations(_ db: Database) throws -> [Violation] {
        guard let cursor = try Self.cursor(db), let position = catalogue.log.position(of: cursor) else {
            return []
        }
        var found: [Violation] = []
        // The mirror has recorded that the lists of these kinds failed, and that the next whole sync has to request them.
        let kindsToList = try CatalogueStore.kindsToListAgain(of: .standard, in: db)
        for subject in catalogue.log.reported(upTo: position).sorted(by: {
            ($0.kind.name, $0.id) < ($1.kind.name, $1.id)
        }) {
            if subject.kind == .show && prunes || failed.contains(subject.id)
                || kindsToList.contains(subject.kind)
            {
                continue
            }
            // A list or the object's own URL may already show a newer version, as not every change is in the feed.
            let now =
                catalogue.names(subject.kind, subject.id) ? catalogue.body(subject.kind, subject.id) : nil
            let known = catalogue.log.versions(of: subject.kind, subject.id, knownTo: position)
            // An object that was deleted before the mirror requested it cannot be stored any more. The feed's next event
            // reports the deletion.
            if now == nil, case .some(.some) = known.first, known.last == .some(.none) { continue }
            let versions = known + [now.map { Fingerprint.of($0.text) }]
            if let problem = try difference(subject, versions, db) {
                found.append(
                    Violation(
                        .pageAndCursorAreAtomic,
                        "The cursor is \(cursor), and \(subject.kind.name) \(subject.id) \(problem)."))
            }
        }
        return found
    }

    private func difference(_ subject: EventsLog.Subject, _ versions: [UInt64?], _ db: Database) throws
        -> String?
    {
        let edits = subject.kind == .album ? "sync_state <> 'in_sync' OR deleted = 1" : "0"
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT json, ghost OR linked, refetch OR kept OR \(edits) FROM "\(subject.kind.name)" WHERE id = ?
                    """), arguments: [subject.id])
        guard let row, row[1] == false else { return versions.contains(nil) ? nil : "is not here" }
        if row[2] == true { return nil }
        let json: String? = row[0]
        let stored = json.map(Fingerprint.of)
        return versions.contains(stored) ? nil : "is here in an older version: \(json ?? "none")"
    }
}
