import Catalogue
import GRDB

/// Puts an object that is here back into an earlier state: its fields, the lists under it, its files.
///
/// Restoring and its undoing both end here. What is written is logged like any other change.
struct EarlierState {
    let log: ChangeLog
    let forms: RecordForms
    let files: FileReturn
    private var db: Database { log.db }

    init(log: ChangeLog, forms: RecordForms, files: FileReturn) {
        self.log = log
        self.forms = forms
        self.files = files
    }

    /// Makes the object, or one list under it, what a change says that it was before.
    ///
    /// - Returns: whether that was different, and the files that are gone.
    func putBack(_ object: ChangedObject, list: String?, before: String, files lost: [LostFile]) throws -> (
        isDifferent: Bool, gone: [LostFile]
    ) {
        let owner = object.owner ?? Owner(object.kind, object.id)
        let isDifferent =
            if let list {
                try ImageRole(listName: list).map { try putBack(owner.id, $0, before) }
                    ?? putBack(members: before, of: object, list)
            } else {
                try putBack(body: before, of: object)
            }
        return (isDifferent, isDifferent ? try files.giveBack(lost, to: owner) : [])
    }

    private func putBack(body: String, of object: ChangedObject) throws -> Bool {
        if object.kind == .document {
            guard let owner = object.owner else { return false }
            let now = try String.fetchOne(
                db.cachedStatement(
                    sql: "SELECT json FROM document WHERE \(owner.kind.idColumn) = ? AND id = ?"),
                arguments: [owner.id, object.id])
            let record = try forms.document(owner, body)
            guard !ExactText.same(now, record.json) else { return false }
            return try DocumentWriter(log: log).write(record) == .updated
        }
        var record = try forms.object(object.kind, body)
        // A local edit comes first.
        guard let now = try StoredRow.find(object.kind, object.id, in: db), !now.hasLocalEdit,
            !ExactText.same(now.json, record.json)
        else { return false }
        record.isLinked = now.linked
        return try ObjectWriter(log: log).write(record) == .updated
    }

    private func putBack(members before: String, of object: ChangedObject, _ list: String) throws -> Bool {
        let owner = Owner(object.kind, object.id)
        guard let membership = Membership(ListName(url: "", owner: owner, name: list)) else { return false }
        let ids = try String.fetchAll(
            db.cachedStatement(sql: "SELECT value FROM json_each(?)"), arguments: [before])
        let now = try membership.ids(in: db)
        guard now.map(ExactText.init) != ids.map(ExactText.init) else { return false }
        try membership.replace(with: ids, in: db)
        try log.note(.update, object.kind, object.id, list: list, before: JSONValue.canonicalText(of: now))
        return true
    }

    private func putBack(_ show: String, _ role: ImageRole, _ before: String) throws -> Bool {
        let now = try PastStates(db: db).current(Owner(.show, show), role.listName)
        guard !ExactText.same(now, before) else { return false }
        let images = try String.fetchAll(
            db.cachedStatement(sql: "SELECT json(value) FROM json_each(?)"), arguments: [before])
        try log.note(.update, .show, show, list: role.listName, before: now)
        try ImageWriter(log: log).replace(
            of: Owner(.show, show), role: role, with: images.map { try forms.image(show, $0) }, isNoted: true)
        return true
    }

    /// What the server says of the object is asked for anew: no ETag vouches for it, or lets a list be passed over.
    func forgetValidators(_ object: ChangedObject) throws {
        if let owner = object.owner {
            try db.execute(
                sql:
                    "UPDATE list SET etag = NULL WHERE owner_kind = ? AND owner_id = ? AND name = 'documents'",
                arguments: [owner.kind.name, owner.id])
        } else {
            try db.execute(
                sql: "DELETE FROM list WHERE owner_kind = ? AND owner_id = ?",
                arguments: [object.kind.name, object.id])
        }
        let kind = object.owner?.kind ?? object.kind
        try db.execute(
            sql: """
                UPDATE list SET clean_etag = NULL, clean_formats = NULL WHERE owner_kind = 'partner' AND name = ?
                """, arguments: [kind.plural])
        // No change on the server tells of it.
        try SinceWriter(db: db).forget([kind])
    }

    /// Marks the object's row.
    func mark(_ object: ChangedObject, kept: Bool, refetch: Bool = false) throws {
        let owner = object.owner
        let condition = owner.map { "\($0.kind.idColumn) = ? AND id = ?" } ?? "id = ?"
        try db.cachedStatement(
            sql: """
                UPDATE "\(object.kind.table)" SET kept = ?, refetch = ?, etag = NULL WHERE \(condition)
                """
        ).execute(
            arguments: StatementArguments([kept, refetch])
                + StatementArguments((owner.map { [$0.id] } ?? []) + [object.id]))
    }
}
