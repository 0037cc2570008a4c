import Catalogue
import GRDB

/// Restores the objects that a run deleted, and optionally the earlier state of objects that it changed.
///
/// A restored object is marked `kept`: no sweep removes it, and it isn't served. When the server lists it again, it is
/// requested and becomes an ordinary object. A ghost of the object is overwritten. References to objects that aren't stored
/// create ghosts.
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

    /// The last run that deleted an object that the request selects, and the change's number.
    ///
    /// The run is `nil` if the object was deleted outside a run; the result is `nil` if no such deletion is logged.
    static func source(_ request: RestoreRequest, in db: Database) throws -> (seq: Int64, run: Int64?)? {
        let filter = ChangeFilter(kind: request.kind, id: request.id, since: request.notBefore).condition
        let sql = """
            SELECT seq, run FROM change WHERE \(filter.sql) AND evidence IS NOT ?
              AND action IN (\(request.includesChanged ? "'delete', 'update'" : "'delete'"))
              AND coalesce(run, 0) NOT IN (SELECT run FROM sync_log WHERE command = 'restore')
              \(request.id == nil ? "AND run IS NOT NULL" : "") ORDER BY seq DESC LIMIT 1
            """
        return try db.row(sql, filter.arguments + [Evidence.restoreUndone.text]).map { ($0[0], $0[1]) }
    }

    // MARK: - Selecting changes

    /// The numbers of the run's changes with one action, in the order in which kinds refer to each other.
    ///
    /// For deletions, the latest of each object is first; for updates, the earliest.
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

    private func isStored(_ object: ChangedObject) throws -> Bool {
        let exists = "SELECT 1 FROM \"\(object.kind.table)\" WHERE ghost = 0 AND"
        if try db.isTrue("\(exists) \(object.isRow)", object.key) { return true }
        // A restored album that was edited since exists as a new album on the server, under another id.
        return try object.kind.isEdited && db.isTrue("\(exists) local_id = ?", [object.id])
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
            // An object whose logged state can't be read is reported. All others are restored.
            report.fail(change.object, "\(error)")
        }
    }

    // MARK: - Deletions

    private mutating func restoreDeleted(_ change: Logged) throws {
        guard try !isStored(change.object) else {
            report.present += 1
            return
        }
        guard let state = try DeletedState(change.before, in: db) else {
            return report.fail(change.object, "The log has no earlier state of it.")
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
            return report.fail(object, "It has a local edit, which restoring would overwrite.")
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
        reportMissing(try earlier.reattach(state.files, to: owner), object)
        for document in state.documents { try restore(document: document.body, document.file, of: owner) }
    }

    private mutating func restore(document body: String, _ file: LostFile?, of owner: Owner) throws {
        let record = try earlier.document(body, of: owner)
        let object = ChangedObject(.document, record.id, owner: owner)
        guard try DocumentWriter(log: log).write(record) == .created else {
            return report.fail(
                object,
                "The \(owner.kind.name) that it belongs to isn't stored. Restore the \(owner.kind.name) first."
            )
        }
        try earlier.mark(object, kept: true)
        reportMissing(try earlier.reattach([file].compactMap(\.self), to: owner), object)
    }

    // MARK: - Changes

    private mutating func restoreChanged(_ change: Logged, _ seq: Int64) throws {
        guard let before = change.before, try isFirst(seq, change) else { return }
        guard try isStored(change.object) else {
            return report.fail(change.object, "It is no longer stored. Restore the run that deleted it.")
        }
        let (isDifferent, missing) = try earlier.revert(
            change.object, list: change.list, to: before, files: change.files)
        guard isDifferent else {
            report.present += 1
            return
        }
        reportMissing(missing, change.object)
        try earlier.mark(change.object, kept: true)
        try earlier.forgetValidators(change.object)
    }

    /// Whether this was the run's first change of the object or list, and the object existed before the run.
    private func isFirst(_ seq: Int64, _ change: Logged) throws -> Bool {
        let object = change.object
        return try db.number(
            """
            SELECT 1 FROM change WHERE kind = ? AND id = ? AND owner IS ? AND run IS ? AND seq < ?
              AND (list IS ? OR action = 'create') LIMIT 1
            """, [object.kind.name, object.id, object.loggedOwner, request.source, seq, change.list]) == nil
    }

    private mutating func reportMissing(_ files: [LostFile], _ object: ChangedObject) {
        report.reportMissing(files, of: object, "the next sync fetches it if the server still has it")
    }
}
