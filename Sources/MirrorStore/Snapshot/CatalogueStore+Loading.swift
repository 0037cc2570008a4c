import Catalogue
import Foundation
import GRDB

/// The position up to which a snapshot was loaded. It is stored together with the objects, so that the next run can continue.
package struct LoadPosition: Sendable, Hashable, Codable {
    /// The last event of the feed when the server made the snapshot; `nil` if unknown.
    package var event: String?
    /// The last URL that was loaded.
    package var url = ""
    /// The number of lines that were loaded.
    package var lines = 0
    /// The number of objects that were created, by kind; documents under `document`.
    package var objects: [String: Int] = [:]
    /// Why the loaded objects may not be a complete catalogue at one instant; `nil` if they are.
    package var inconsistency: String?

    /// The key `doubt` is stored in mirrors' databases.
    private enum CodingKeys: String, CodingKey {
        case event, url, lines, objects
        case inconsistency = "doubt"
    }

    package init() {}
}

/// Loading a snapshot: the usual writes in large transactions, with a single entry in the change log.
extension CatalogueStore {
    /// Writes a part of a snapshot and its position, in a transaction that stays open for the next parts.
    ///
    /// Each transaction writes nearly all pages of the indexes, so a few large transactions are much cheaper than many small
    /// ones. ``commitLoaded()`` ends the transaction. Write nothing else to this store before that.
    ///
    /// The log has a single entry for the whole snapshot, which each part moves to the log's end. Everything before that entry
    /// counts as removed from the log, so a mirror of this mirror can't continue its feed and fetches everything.
    ///
    /// - Parameters:
    ///   - writes: the objects and lists of this part.
    ///   - partner: the partner's id; the log entry is about the partner.
    ///   - position: the end of this part. The number of created objects is added to it.
    ///   - dropsIndexes: whether ``DeferredIndexes`` are dropped if the store is still empty;
    ///     ``settleSlugsAfterLoading(run:)`` creates them.
    ///   - continues: whether earlier parts are not committed yet. If these were rolled back since, for example because the
    ///     disk was full, the method throws.
    /// - Returns: one effect for each write, and the position as it is stored.
    /// - Throws: ``StoreError``; then nothing of this part is written.
    package func load(
        _ writes: [Write], of partner: String, run: Int64, upTo position: LoadPosition,
        dropsIndexes: Bool = false, continues: Bool
    ) throws -> (effects: [WriteEffect], position: LoadPosition) {
        try bulkLoad.write(continues: continues) { db in
            if dropsIndexes { try DeferredIndexes.drop(db) }
            let log = try ChangeLog(self, db, run: run, isLoading: true)
            // Writes of a snapshot don't update the search index. So an index of the first parts, which another command may
            // have built, is emptied, and all of it is built after the load.
            if try db.isTrue("SELECT EXISTS (SELECT 1 FROM search_entry)") { try emptySearchIndex(in: db) }
            var position = position
            let effects = try writes.map { try apply($0, log: log) }
            for (write, effect) in zip(writes, effects) where effect == .created {
                guard let kind = write.objectKind else { continue }
                position.objects[kind.name, default: 0] += 1
            }
            // Without the indexes of slugs, rivals are settled after the load.
            let unsettled = try DeferredIndexes.areMissing(db) ? DeferredIndexes.kinds : []
            try RivalSettlement(log: log).settle(but: unsettled)
            try LoadEntry(log: log, partner: partner).renew()
            try store(position, in: db)
            return (effects, position)
        }
    }

    /// Commits the parts that were loaded since the last commit.
    ///
    /// - Throws: ``StoreError``, also if they were rolled back.
    package func commitLoaded() throws { try bulkLoad.commit() }

    /// Rolls back the parts that were loaded and not committed.
    package func abandonLoaded() { bulkLoad.rollBack() }

    /// Creates missing indexes and, if a load hasn't ended yet, settles slugs that several objects claim. Idempotent.
    ///
    /// - Returns: whether several objects claimed a slug.
    package func settleSlugsAfterLoading(run: Int64?) throws -> Bool {
        // A separate transaction, after which other programs can write: with a million objects it takes seconds.
        if try read(DeferredIndexes.areMissing) { try write { try DeferredIndexes.make($0) } }
        guard try metaValue(.loading) != nil else { return false }
        return try write { db in
            let log = try ChangeLog(self, db, run: run, isLoading: true)
            return try RivalSettlement(log: log).settleAll(of: DeferredIndexes.kinds)
        }
    }

    private func store(_ position: LoadPosition, in db: Database) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try Self.set(
            .loading, to: String(decoding: try encoder.encode(position), as: UTF8.self), in: db)
    }

    /// Whether all of these objects are stored as listed objects.
    ///
    /// Reads with the writer's connection, which has most of the index in memory. Another connection would need that memory
    /// again.
    package func areStored(_ kind: Kind, _ ids: [String]) throws -> Bool {
        try bulkLoad.read { db in
            let marks = ["ghost", "kept", "linked", "refetch"], table = "\"\(kind.table)\""
            // Usually no row has a mark. Then the index of ids is enough, and no row is read.
            let unmarked = marks.map { "NOT EXISTS (SELECT 1 FROM \(table) WHERE \($0) = 1)" }
            let isPlain = try db.isTrue("SELECT \(unmarked.joined(separator: " AND "))")
            let condition = isPlain == true ? "" : marks.map { " AND \($0) = 0" }.joined()
            var find = try FastStatement(db, "SELECT 1 FROM \(table) WHERE id = ?\(condition)")
            return try ids.allSatisfy { try find.run($0) }
        }
    }

    /// The position of an interrupted load; `nil` if there is none, or this version can't read it.
    package func loadPosition() throws -> LoadPosition? {
        guard let text = try metaValue(.loading) else { return nil }
        return try? JSONDecoder().decode(LoadPosition.self, from: Data(text.utf8))
    }

    /// Ends the load of a snapshot. Call ``settleSlugsAfterLoading(run:)`` first.
    ///
    /// - Parameter isComplete: whether all of the snapshot was loaded; `false` if the load was given up.
    package func endLoading(isComplete: Bool) throws {
        try write { db in
            try Self.set(.loading, to: nil, in: db)
            if isComplete { try Self.set(.loaded, to: "1", in: db) }
        }
    }
}

/// The single entry in the change log for a whole snapshot.
struct LoadEntry {
    let log: ChangeLog
    let partner: String

    /// The evidence that identifies the entry.
    static let evidence = Evidence.loaded.text

    /// Moves the entry to the log's end, and marks everything before it as removed from the log.
    func renew() throws {
        let db = log.db
        try db.run(
            "DELETE FROM change WHERE kind = 'partner' AND id = ? AND evidence = ?", [partner, Self.evidence])
        // The entry is an update of the partner that changes nothing.
        let before = try db.text("SELECT json FROM partner WHERE id = ?", [partner])
        try log.note(.update, .partner, partner, before: before, evidence: .loaded, always: true)
        guard let end = try LogEnd(db) else { return }
        try CatalogueStore.set(.changeLogCut, to: end.event.textWithoutLog, in: db)
        try CatalogueStore.set(.changeLogStart, to: log.at, in: db)
    }
}

extension Write {
    /// The kind of the object or document that is written; `nil` for other writes.
    fileprivate var objectKind: Kind? {
        switch self {
        case .object(let record): record.kind
        case .document: .document
        default: nil
        }
    }
}
