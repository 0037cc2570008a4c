import Catalogue
import GRDB

/// Updates and trims what visitors see of the change log, and the numbers of changes.
extension CatalogueStore {
    /// The number of changes that are decided in one transaction.
    private static let markedAtOnce = 5_000

    /// Updates what visitors see of the change log, and the numbers of changes, for all changes since the last update.
    /// Idempotent.
    ///
    /// Called at the end of a run, beside the search index. Several transactions, so that other programs can write in between.
    package func updateShownHistory() throws {
        let (last, start) = try read {
            try ($0.value(Int64.self, "SELECT max(seq) FROM change") ?? 0, Self.shown(in: $0))
        }
        try updateShownHistory(from: start, to: last)
    }

    /// Updates it for the changes after a state that was read before.
    ///
    /// A watch and a sync may do this at the same time. Each transaction does nothing once the other has counted the changes,
    /// because they would be counted twice.
    func updateShownHistory(from start: (marked: Int64, tallied: Int64), to last: Int64) throws {
        guard last > start.tallied else { return }
        if start.tallied == 0 {
            try write(isServed: false) { db in
                guard try Self.shown(in: db).tallied == 0 else { return }
                try db.run("DELETE FROM change_tally")
            }
        }
        var marked = start.marked
        while marked < last {
            let next: Int64? = try write(isServed: false) { db in
                let shown = try Self.shown(in: db)
                guard shown.tallied == start.tallied else { return nil }
                let first = max(marked, shown.marked)
                let done = try ShownHistory(db: db, kinds: kinds)
                    .mark(after: first, limit: Self.markedAtOnce, tallied: start.tallied)
                try Self.set(.markedChange, to: "\(done ?? max(first, last))", in: db)
                return done ?? max(first, last)
            }
            guard let next else { return }
            marked = next
        }
        try write { db in
            guard try Self.shown(in: db).tallied == start.tallied else { return }
            try ShownHistory(db: db, kinds: kinds).tally(after: start.tallied, to: marked)
            try Self.set(.talliedChange, to: "\(marked)", in: db)
        }
    }

    /// The last changes that were decided and counted; 0 if none was.
    static func shown(in db: Database) throws -> (marked: Int64, tallied: Int64) {
        let marked = try metaValue(.markedChange, in: db).flatMap { Int64($0) } ?? 0
        let tallied = try metaValue(.talliedChange, in: db).flatMap { Int64($0) } ?? 0
        return (marked, tallied)
    }

    /// Has all changes decided and counted again by the next update, because a table was lost.
    static func forgetShownHistory(in db: Database) throws {
        try set(.markedChange, to: nil, in: db)
        try set(.talliedChange, to: nil, in: db)
    }

    /// Removes what belongs to changes that are no longer in the log.
    ///
    /// - Parameter young: the first change that stays.
    static func trimShownHistory(before young: Int64, olderThan limit: String, in db: Database) throws {
        try db.run(
            """
            DELETE FROM shown_change WHERE seq < ?1 AND NOT EXISTS (SELECT 1 FROM change c WHERE c.seq = shown_change.seq)
            """, [young])
        try db.run("DELETE FROM change_tally WHERE day < ?", [String(limit.prefix(10))])
    }
}
