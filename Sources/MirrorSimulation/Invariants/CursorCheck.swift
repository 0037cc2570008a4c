import Catalogue
import GRDB
import MirrorStore

/// Invariant 3: whatever the feed told up to the cursor that is stored is in the mirror, in that version or a later one.
struct CursorCheck {
    let catalogue: PartnerCatalogue
    let traits: PartnerTraits
    /// Whether shows may have been pruned.
    let prunes: Bool
    /// Ids of objects that were told to have failed: the next sync asks for them, as their lists name them.
    let failed: Set<String>

    static func cursor(_ db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT cursor FROM loop WHERE id = ?"), arguments: [LoopRecord.coreID])
    }

    func violations(_ db: Database) throws -> [Violation] {
        guard let cursor = try Self.cursor(db), let place = catalogue.log.place(of: cursor) else { return [] }
        var found: [Violation] = []
        // The mirror knows that the list of these did not come, and that the next whole sync has to ask for it.
        let owed = try CatalogueStore.owedKinds(of: .standard, in: db)
        for told in catalogue.log.told(upTo: place).sorted(by: {
            ($0.kind.name, $0.id) < ($1.kind.name, $1.id)
        }) {
            if told.kind == .show && prunes || failed.contains(told.id) || owed.contains(told.kind) {
                continue
            }
            // What a list or a look at the object says may be newer than the feed, which not every change gets into.
            let now = catalogue.names(told.kind, told.id) ? catalogue.body(told.kind, told.id) : nil
            let known = catalogue.log.versions(of: told.kind, told.id, knownTo: place)
            // What is gone before the page's work asked for it can't be had any more: the feed tells of that next.
            if now == nil, case .some(.some) = known.first, known.last == .some(.none) { continue }
            let versions = known + [now.map { Fingerprint.of($0.text) }]
            if let what = try difference(told, versions, db) {
                found.append(
                    Violation(
                        .pageAndCursorAreOne,
                        "The cursor is \(cursor), and \(told.kind.name) \(told.id) \(what)."))
            }
        }
        return found
    }

    private func difference(_ told: EventsLog.Told, _ versions: [UInt64?], _ db: Database) throws -> String? {
        let edits = told.kind == .album ? "sync_state <> 'in_sync' OR deleted = 1" : "0"
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT json, ghost OR linked, refetch OR kept OR \(edits) FROM "\(told.kind.name)" WHERE id = ?
                    """), arguments: [told.id])
        guard let row, row[1] == false else { return versions.contains(nil) ? nil : "is not here" }
        if row[2] == true { return nil }
        let json: String? = row[0]
        let here = json.map(Fingerprint.of)
        return versions.contains(here) ? nil : "is here in an older version: \(json ?? "none")"
    }
}
