import Catalogue
import GRDB

/// Brings back what a run deleted, and, if asked, the earlier state of what it changed.
///
/// What comes back is `kept`: no sweep removes it, it isn't served, and as soon as the server lists it again it is requested
/// and becomes an ordinary object. A ghost in its place is overwritten; references to what isn't here make ghosts.
struct Restorer {
    let log: ChangeLog
    let request: RestoreRequest
    let earlier: EarlierState
    private var db: Database { log.db }
    private(set) var report = RestoreReport()

    consuming func restore() throws -> RestoreReport {
        report.source = request.source
        for seq in try changes(.delete) { try restore(seq, wasDeleted: true) }
        if request.includesChanged {
            for seq in try changes(.update) { try restore(seq, wasDeleted: false) }
        }
        try RivalSettlement(log: log).settle()
        return report
    }

    /// The run that is meant: the last one that deleted what is asked for. `nil` in a run: outside any.
    static func source(_ request: RestoreRequest, in db: Database) throws -> (seq: Int64, run: Int64?)? {
        let filter = ChangeFilter(kind: request.kind, id: request.id, since: request.notBefore).condition
        let sql = """
            SELECT seq, run FROM change WHERE \(filter.sql) AND evidence IS NOT ?
              AND action IN (\(request.includesChanged ? "'delete', 'update'" : "'delete'"))
              AND coalesce(run, 0) NOT IN (SELECT run FROM sync_log WHERE command = 'restore')
              \(request.id == nil ? "AND run IS NOT NULL" : "") ORDER BY seq DESC LIMIT 1
            """
        return try db.row(sql, filter.arguments + [RestoreEvidence.undone]).map { ($0[0], $0[1]) }
    }

    // MARK: - What is restored

    /// The run's changes of that kind, in the order in which kinds refer to each other, the latest of an object first
    /// where it was deleted, the earliest where it was changed.
    private func changes(_ action: ObjectChange.Action) throws -> [Int64] {
        let filter = ChangeFilter(kind: request.kind, id: request.id, run: request.source).condition
        let sql = """
            SELECT seq FROM change WHERE \(filter.sql) AND action = ? AND kind NOT IN ('partner', 'user')
              \(request.source == nil ? "AND run IS NULL" : "")
            ORDER BY \(log.kinds.order), seq \(action == .delete ? "DESC" : "")
            """
        return try db.rows(sql, filter.arguments + [action.rawValue]).map { $0[0] }
    }

    private struct Logged {
        let object: ChangedObject
        let at: String, list: String?, before: String?
        let files: [LostFile]
    }

    private func logged(_ seq: Int64) throws -> Logged? {
        let sql = "SELECT kind, id, owner, at, list, before, files FROM change WHERE seq = ?"
        guard let row = try db.row(sql, [seq]),
            let object = ChangedObject(kind: row[0], id: row[1], owner: row[2], among: log.kinds)
        else { return nil }
        return Logged(
            object: object, at: row[3], list: row[4], before: row[5], files: try LostFile.list(row[6]))
    }

    private func isHere(_ object: ChangedObject) throws -> Bool {
        let here = "SELECT 1 FROM \"\(object.kind.table)\" WHERE ghost = 0 AND"
        if try db.isTrue("\(here) \(object.isRow)", object.key) { return true }
        // A restored album that was edited is there, as the server's new one.
        return try object.kind.isEdited && db.isTrue("\(here) local_id = ?", [object.id])
    }

    private mutating func restore(_ seq: Int64, wasDeleted: Bool) throws {
        guard let change = try logged(seq), wasDeleted || change.before != nil else { return }
        guard change.at >= request.notBefore else {
            report.tooOld += 1
            return
        }
        do {
            try wasDeleted ? restoreDeleted(change) : restoreChanged(change, seq)
        } catch let error where !(error is DatabaseError) {
            // What can't be read as what it was is reported; everything else comes back.
            report.fail(change.object, "\(error)")
        }
    }

    // MARK: - Deletions

    private mutating func restoreDeleted(_ change: Logged) throws {
        guard try !isHere(change.object) else {
            report.present += 1
            return
        }
        guard let state = try DeletedState(change.before, in: db) else {
            return report.fail(change.object, "The log has no state of it to bring back.")
        }
        guard let owner = change.object.owner else { return try restore(change.object, state) }
        let file = state.file.map {
            LostFile(role: "document", id: change.object.id, hash: $0.hash, entry: $0.entry)
        }
        try restore(document: state.body, file, of: owner)
    }

    private mutating func restore(_ object: ChangedObject, _ state: DeletedState) throws {
        let record = try earlier.object(object.kind, state.body)
        let images = try state.images.filter { $0.role != .picture }.map { role, json in
            (role: role, image: try earlier.image(json, ofShow: object.id))
        }
        guard try ObjectWriter(log: log).write(record) == .created else {
            return report.fail(object, "A local edit of it comes first.")
        }
        try earlier.mark(object, kept: true)
        let owner = Owner(object.kind, object.id)
        if let artworks = state.artworks {
            try Membership(of: owner)?.replace(with: artworks, in: db)
        }
        for role in [ImageRole.installation, .cover] {
            let pictures = images.filter { $0.role == role }.map(\.image)
            guard !pictures.isEmpty else { continue }
            try ImageWriter(log: log).replace(of: owner, role: role, with: pictures)
        }
        miss(try earlier.giveBack(state.files, to: owner), object)
        for document in state.documents { try restore(document: document.body, document.file, of: owner) }
    }

    private mutating func restore(document body: String, _ file: LostFile?, of owner: Owner) throws {
        let record = try earlier.document(body, of: owner)
        let object = ChangedObject(.document, record.id, owner: owner)
        guard try DocumentWriter(log: log).write(record) == .created else {
            return report.fail(
                object, "The \(owner.kind.name) that it belongs to is not here. Restore that first.")
        }
        try earlier.mark(object, kept: true)
        miss(try earlier.giveBack([file].compactMap(\.self), to: owner), object)
    }

    // MARK: - Changes

    private mutating func restoreChanged(_ change: Logged, _ seq: Int64) throws {
        guard let before = change.before, try isFirst(seq, change) else { return }
        guard try isHere(change.object) else {
            return report.fail(change.object, "It is no longer here. Restore the run that deleted it.")
        }
        let (isDifferent, gone) = try earlier.putBack(
            change.object, list: change.list, before: before, files: change.files)
        guard isDifferent else {
            report.present += 1
            return
        }
        miss(gone, change.object)
        try earlier.mark(change.object, kept: true)
        try earlier.forgetValidators(change.object)
    }

    /// Whether this was the run's first change of the object or list, and the object was there before the run.
    private func isFirst(_ seq: Int64, _ change: Logged) throws -> Bool {
        let object = change.object
        return try db.number(
            """
            SELECT 1 FROM change WHERE kind = ? AND id = ? AND owner IS ? AND run IS ? AND seq < ?
              AND (list IS ? OR action = 'create') LIMIT 1
            """, [object.kind.name, object.id, object.loggedOwner, request.source, seq, change.list]) == nil
    }

    private mutating func miss(_ gone: [LostFile], _ object: ChangedObject) {
        report.miss(gone, of: object, "the next sync that has it fetches it")
    }
}
