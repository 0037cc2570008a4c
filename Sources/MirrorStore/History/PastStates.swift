import Catalogue
import GRDB

/// What objects were at some moment of the log.
///
/// The log has what was *before* each change. What was after one is therefore before the next that concerns the same
/// thing, or what is there now: one look into an index either way.
struct PastStates {
    let db: Database

    /// What of an object changes by itself.
    enum Aspect: Hashable { case body, list(String) }

    /// The JSON of an object, or of the members of a list under it, as it was right after the change `seq`.
    ///
    /// - Returns: `nil` if the object wasn't there.
    func state(of object: ChangedObject, _ aspect: Aspect, after seq: Int64) throws -> String? {
        switch aspect {
        case .body where object.kind == .document: try document(object, after: seq)
        case .body: try body(object, after: seq)
        case .list(let name): try members(object, list: name, after: seq)
        }
    }

    // MARK: - Objects

    private func body(_ object: ChangedObject, after seq: Int64) throws -> String? {
        let next = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT action, CASE action WHEN 'delete' THEN json_extract(before, '$.body') ELSE before END
                    FROM change WHERE kind = ? AND id = ? AND seq > ? AND list IS NULL ORDER BY seq LIMIT 1
                    """), arguments: [object.kind.name, object.id, seq])
        if let next { return next[0] == "create" ? nil : next[1] }
        return try String.fetchOne(
            db.cachedStatement(sql: "SELECT json FROM \"\(object.kind.table)\" WHERE id = ? AND ghost = 0"),
            arguments: [object.id])
    }

    /// A document goes with its owner: then the owner's last state has it.
    private func document(_ object: ChangedObject, after seq: Int64) throws -> String? {
        guard let owner = object.owner else { return nil }
        let own = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT seq, action, CASE action WHEN 'delete' THEN json_extract(before, '$.body') ELSE before END
                    FROM change WHERE kind = 'document' AND id = ? AND owner = ? AND seq > ? ORDER BY seq LIMIT 1
                    """), arguments: [object.id, object.loggedOwner, seq])
        let owners = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT seq, (SELECT json_extract(d.value, '$.body') FROM json_each(before, '$.documents') d
                      WHERE coalesce(json_extract(d.value, '$.id'), json_extract(d.value, '$.body.id')) = ?)
                    FROM change WHERE kind = ? AND id = ? AND seq > ? AND action = 'delete' ORDER BY seq LIMIT 1
                    """), arguments: [object.id, owner.kind.name, owner.id, seq])
        if let owners, own.map({ $0[0] > owners[0] as Int64 }) ?? true { return owners[1] }
        if let own { return own[1] == "create" ? nil : own[2] }
        return try String.fetchOne(
            db.cachedStatement(
                sql: "SELECT json FROM document WHERE \(owner.kind.idColumn) = ? AND id = ?"),
            arguments: [owner.id, object.id])
    }

    // MARK: - Lists

    private func members(_ object: ChangedObject, list: String, after seq: Int64) throws -> String? {
        let next = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT action, before FROM change WHERE kind = ? AND id = ? AND seq > ?
                      AND (list = ? OR action <> 'update') AND NOT \(ChangeLog.isForOthersOnly) ORDER BY seq LIMIT 1
                    """), arguments: [object.kind.name, object.id, seq, list])
        guard let next else { return try current(Owner(object.kind, object.id), list) }
        return switch next[0] as String {
        case "create": nil
        case "delete": try removed(next[1], list)
        default: next[1]
        }
    }

    /// The members of a list as they are.
    func current(_ owner: Owner, _ list: String) throws -> String {
        if let role = ImageRole(listName: list) {
            let images = try String.fetchAll(
                db.cachedStatement(
                    sql: "SELECT json FROM image WHERE show_id = ? AND role = ? ORDER BY position"),
                arguments: [owner.id, role.rawValue])
            return "[\(images.joined(separator: ","))]"
        }
        let membership = Membership(ListName(url: "", owner: owner, name: list))
        return try membership?.json(in: db) ?? "[]"
    }

    /// The members of a list in the state of an object that was deleted.
    private func removed(_ before: String?, _ list: String) throws -> String? {
        guard let role = ImageRole(listName: list) else {
            return try String.fetchOne(
                db.cachedStatement(sql: "SELECT json_extract(?, '$.artworks')"), arguments: [before])
        }
        return try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT json_group_array(json(image)) FROM (
                      SELECT json_extract(value, '$.json') AS image FROM json_each(?, '$.images')
                      WHERE json_extract(value, '$.role') = ?
                      GROUP BY json_extract(value, '$.image') ORDER BY min(key)
                    )
                    """), arguments: [before, role.rawValue])
    }
}
