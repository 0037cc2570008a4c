import Catalogue
import Foundation
import GRDB

/// How far a snapshot was taken in: stored with what it brought, so that the next run goes on behind it.
package struct LoadPosition: Sendable, Hashable, Codable {
    /// Where the feed of events stood when the snapshot was made; `nil` if the server didn't say.
    package var event: String?
    /// The last URL that was taken in.
    package var url = ""
    /// So many lines were.
    package var lines = 0
    /// Objects that came, by kind; documents under `document`.
    package var objects: [String: Int] = [:]
    /// Why what came can't be taken for the whole catalogue of one instant, if it can't.
    package var doubt: String?

    package init() {}
}

/// Taking in a snapshot: the same writes as everywhere, in large transactions, with one entry in the change log for all.
extension CatalogueStore {
    /// Writes a part of a snapshot, and up to where it goes, in a transaction that stays open for the parts that follow.
    ///
    /// Each transaction writes every page of the indexes that it touches, which are most of them: a few large ones cost much
    /// less than many. ``commitLoaded()`` ends it, and nothing else may be written to this store before that.
    ///
    /// Of what it brings the log notes nothing but a single entry, which moves on with each part. Before it the log is cut:
    /// whoever knows an earlier state of this mirror has to fetch everything.
    ///
    /// - Parameters:
    ///   - partner: the partner's id, which the entry is about.
    ///   - position: up to where everything is written with this; each object that is created is counted in it.
    ///   - dropsIndexes: whether ``LateIndexes`` are dropped, if nothing is here yet; ``settleLoaded(run:)`` makes
    ///     them.
    ///   - continues: whether parts before it are not committed yet. Where they are gone by now, as with a disk that was
    ///     full, nothing may claim their place.
    /// - Returns: the effects, one for each write, and the position as it is stored.
    /// - Throws: ``StoreError``; then nothing of this part was written.
    package func load(
        _ writes: [Write], of partner: String, run: Int64, upTo position: LoadPosition,
        dropsIndexes: Bool = false, continues: Bool
    ) throws -> (effects: [WriteEffect], position: LoadPosition) {
        try bulkLoad.write(continues: continues) { db in
            if dropsIndexes { try LateIndexes.drop(db) }
            let log = try ChangeLog(self, db, run: run, isLoading: true)
            // An index that somebody made of a first part would not be told of the rest: the whole is made when all is here.
            if try db.isTrue("SELECT EXISTS (SELECT 1 FROM search_entry)") { try emptySearchIndex(in: db) }
            var position = position
            let effects = try writes.map { try apply($0, log: log) }
            for (write, effect) in zip(writes, effects) where effect == .created {
                guard let kind = write.objectKind else { continue }
                position.objects[kind.name, default: 0] += 1
            }
            // Without their index, who claims a slug is looked up at the end.
            let unsettled = try LateIndexes.areMissing(db) ? LateIndexes.kinds : []
            try RivalSettlement(log: log).settle(but: unsettled)
            try LoadEntry(log: log, partner: partner).renew()
            try store(position, in: db)
            return (effects, position)
        }
    }

    /// Commits what was loaded since the last time.
    ///
    /// - Throws: ``StoreError``, also where it is not there any more.
    package func commitLoaded() throws { try bulkLoad.commit() }

    /// Takes back what was loaded and not committed.
    package func abandonLoaded() { bulkLoad.rollBack() }

    /// Makes the indexes that are missing and, if a snapshot is being taken in or was broken off, settles who keeps slugs that
    /// several objects claim. A second call does nothing.
    ///
    /// - Returns: whether there were any such slugs.
    package func settleLoaded(run: Int64?) throws -> Bool {
        // Others may write in between: to make them takes seconds where there is a million.
        if try read(LateIndexes.areMissing) { try write { try LateIndexes.make($0) } }
        guard try fact(.loading) != nil else { return false }
        return try write { db in
            let log = try ChangeLog(self, db, run: run, isLoading: true)
            return try RivalSettlement(log: log).settleAll(of: LateIndexes.kinds)
        }
    }

    private func store(_ position: LoadPosition, in db: Database) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try Self.set(
            .loading, to: String(decoding: try encoder.encode(position), as: UTF8.self), in: db)
    }

    /// Whether all of these are stored, as objects that the server lists.
    ///
    /// By the writer's connection, which has most of the index in memory: another would hold it once more.
    package func areHeld(_ kind: Kind, _ ids: [String]) throws -> Bool {
        try bulkLoad.read { db in
            let marks = ["ghost", "kept", "linked", "refetch"], table = "\"\(kind.table)\""
            // As a rule no row has a mark: then the index of ids tells, and no row is read.
            let unmarked = marks.map { "NOT EXISTS (SELECT 1 FROM \(table) WHERE \($0) = 1)" }
            let isPlain = try db.isTrue("SELECT \(unmarked.joined(separator: " AND "))")
            let condition = isPlain == true ? "" : marks.map { " AND \($0) = 0" }.joined()
            var find = try FastStatement(db, "SELECT 1 FROM \(table) WHERE id = ?\(condition)")
            return try ids.allSatisfy { try find.run($0) }
        }
    }

    /// Where a snapshot that was broken off stands; `nil` if none was.
    package func loadPosition() throws -> LoadPosition? {
        guard let text = try fact(.loading) else { return nil }
        // What an unknown version wrote is begun anew.
        return try? JSONDecoder().decode(LoadPosition.self, from: Data(text.utf8))
    }

    /// A snapshot was taken in, or given up: what comes next is written in the ordinary way. Call ``settleLoaded(run:)``
    /// first.
    package func endLoading(isWhole: Bool) throws {
        try write { db in
            try Self.set(.loading, to: nil, in: db)
            if isWhole { try Self.set(.loaded, to: "1", in: db) }
        }
    }
}

/// The one entry in the change log that stands for a whole snapshot.
struct LoadEntry {
    let log: ChangeLog
    let partner: String

    /// The evidence by which it is known.
    static let evidence = "loaded as one snapshot"

    /// Puts the entry behind everything that was noted, and cuts the log there.
    func renew() throws {
        let db = log.db
        try db.run(
            "DELETE FROM change WHERE kind = 'partner' AND id = ? AND evidence = ?", [partner, Self.evidence])
        // The partner itself stays as it is.
        let before = try db.text("SELECT json FROM partner WHERE id = ?", [partner])
        try log.note(.update, .partner, partner, before: before, evidence: Self.evidence, always: true)
        guard let end = try LogEnd(db) else { return }
        try CatalogueStore.set(.changeLogCut, to: end.event.rest, in: db)
        try CatalogueStore.set(.changeLogStart, to: log.at, in: db)
    }
}

extension Write {
    /// The kind of the object or document that it brings.
    fileprivate var objectKind: Kind? {
        switch self {
        case .object(let record): record.kind
        case .document: .document
        default: nil
        }
    }
}
