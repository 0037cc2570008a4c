import Catalogue
import GRDB
import MirrorStore

/// Invariant 1 for a described catalogue: what exists at the museum is never removed, and what doesn't only if three complete lists
/// that are at least two days apart lacked it, and its own URL was absent each time.
///
/// It remembers by itself in which runs the museum's server said that an object is absent.
struct RemovalCheck {
    /// The times of the runs in which a list lacked an object and its own URL was absent, by the mirror's clock.
    private var absences: [MuseumObject: [Double]] = [:]
    /// Whether the mirror had artworks that only an earlier selection listed, in any run. When they are removed, those that a show
    /// names are stored again, as linked ones: no list has them, and they are not requested again.
    private var hadUnselected = false

    /// The time that may pass between a list and the request for an object that it lacks.
    private static let slack = 7_200.0
    private static let lists = 3, apart = 2 * 86_400.0

    /// A run, as the check needs it.
    struct Run {
        let log: MuseumLog
        /// The museum before and after the run.
        let before: ExpectedMuseum, after: ExpectedMuseum
        let isComplete: Bool
        /// Whether the run was of the whole catalogue. With a selection, only artworks are listed, and artists are gathered from them.
        let isWhole: Bool
        /// Whether the mirror may have artworks that only an earlier selection listed.
        let mayHaveUnselected: Bool
        let disablesDeleteGuard: Bool
        /// Whether the museum's faults hid objects in the run.
        let hidesObjects: Bool

        /// Whether the run may remove artworks that only an earlier selection listed.
        var removesUnselected: Bool { mayHaveUnselected && disablesDeleteGuard }

        func gathers(_ kind: Kind) -> Bool {
            [.artist, .location].contains(kind) && !(isWhole && after.listedKinds.contains(kind))
        }

        /// Whether the mirror's copy of an artwork may be older than the last change of it, without a failure.
        func mayBeOutdated(_ artwork: String) -> Bool {
            (mayHaveUnselected || !isWhole)
                && !log.listed.contains(MuseumObject(kind: .artwork, id: artwork))
        }
    }

    /// Notes what the museum's server said in a run. To be called before the run is checked.
    mutating func note(_ run: Run) {
        hadUnselected = hadUnselected || run.mayHaveUnselected
        if run.isComplete { for object in run.log.listed { absences[object] = nil } }
        for (object, time) in run.log.absent where !run.log.listed.contains(object) {
            absences[object, default: []].append(time)
        }
        // For a listed object, the own URL says nothing about a list that lacked it.
        for object in run.log.present where run.log.absent[object] == nil && !run.log.listed.contains(object)
        {
            absences[object] = nil
        }
    }

    /// - Parameter lastChange: the sequence number of the last change before the run.
    func violations(_ run: Run, after lastChange: Int64, _ db: Database) throws -> [Violation] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT kind, id, evidence FROM change WHERE seq > ? AND action = 'delete' AND evidence IS NOT NULL
                    ORDER BY seq
                    """), arguments: [lastChange])
        var found: [String] = []
        for row in rows {
            guard let kind = Kinds.standard[row[0]] else { continue }
            let object = MuseumObject(kind: kind, id: row[1]), evidence: String = row[2]
            let reason =
                run.gathers(kind)
                ? try named(object, run, db) : fault(object, evidence, run)
            if let reason { found.append("\(object) was removed, but \(reason): \(evidence)") }
        }
        return found.map { Violation(.incompleteListsDeleteNothing, $0) }
    }

    /// Why an object of a listed kind must not be removed.
    private func fault(_ object: MuseumObject, _ evidence: String, _ run: Run) -> String? {
        let isWholeRule = evidence.contains("; missing from ")
        if run.log.listed.contains(object) { return "a list of this run has it" }
        if run.removesUnselected, object.kind == .artwork, !isWholeRule { return nil }
        if run.before.has(object), run.after.has(object), !run.hidesObjects { return "the museum has it" }
        // An object that nothing lists, and that another one named.
        guard evidence.hasPrefix("not in ") else {
            if hadUnselected, !run.before.has(object), !run.after.has(object) { return nil }
            return absences[object] == nil && run.log.absent[object] == nil
                ? "its own URL was never absent" : nil
        }
        guard run.log.absent[object] != nil else { return "its own URL was not absent in this run" }
        let times = absences[object] ?? []
        guard times.count >= Self.lists else { return "it was absent in \(times.count) runs only" }
        guard let first = times.first, let last = times.last, last - first >= Self.apart - Self.slack else {
            return "it was not absent for two days"
        }
        return nil
    }

    /// Why an object that is gathered from artworks must not be removed.
    private func named(_ object: MuseumObject, _ run: Run, _ db: Database) throws -> String? {
        guard object.kind == .artist else { return nil }
        // It is gathered again at once if a removed artwork is stored again, because a show names it.
        if run.removesUnselected,
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM artist WHERE id = ? AND ghost = 0 AND kept = 0)",
                arguments: [object.id]) == true
        {
            return nil
        }
        let stored = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT j.artwork_id FROM artwork_artist j JOIN artwork a ON a.id = j.artwork_id
                    WHERE j.artist_id = ? AND a.ghost = 0 AND a.kept = 0
                    """), arguments: [object.id])
        if let artwork = stored.first { return "artwork \(artwork) of the mirror names it" }
        guard !run.hidesObjects else { return nil }
        let own = Set(
            try String.fetchAll(
                db.cachedStatement(sql: "SELECT id FROM artwork WHERE ghost = 0 AND kept = 0")))
        let naming = own.filter { id in
            !run.mayBeOutdated(id)
                && [run.before, run.after].allSatisfy {
                    $0.artworks[id]?.artists.contains(object.id) == true
                }
        }
        return naming.min().map { "artwork \($0) of the museum names it" }
    }
}
