import Catalogue
import GRDB

/// Reads the states of objects at a moment of the log.
///
/// A log entry has the state *before* its change. So the state after a change is in the next entry of the same object or list,
/// or in its row if there is no later entry. Either takes one lookup in an index.
struct PastStates {
    let db: Database

    /// The JSON of an object, or of the members of a list under it, right after the change `seq`.
    ///
    /// - Parameter list: the list's name; `nil` for the object itself.
    /// - Returns: `nil` if the object didn't exist.
    func state(of object: ChangedObject, _ list: String?, after seq: Int64) throws -> String? {
        guard let list else {
            return object.kind.isPart ? try document(object, after: seq) : try body(object, after: seq)
        }
        guard let list = ObjectList(rawValue: list) else { return nil }
        return try members(object, list, after: seq)
    }

    // MARK: - Objects

    private func body(_ object: ChangedObject, after seq: Int64) throws -> String? {
        let next = try db.row(
            """
            SELECT action, \(ChangeLog.stateBefore("change"))
            FROM change WHERE kind = ? AND id = ? AND seq > ? AND list IS NULL ORDER BY seq LIMIT 1
            """, [object.kind.name, object.id, seq])
        if let next { return next[0] == "create" ? nil : next[1] }
        return try db.text(
            "SELECT json FROM \"\(object.kind.table)\" WHERE id = ? AND ghost = 0", [object.id])
    }

    /// A document that was deleted together with its owner is in the owner's logged state.
    private func document(_ object: ChangedObject, after seq: Int64) throws -> String? {
        guard let owner = object.owner else { return nil }
        let own = try db.row(
            """
            SELECT seq, action, \(ChangeLog.stateBefore("change"))
            FROM change WHERE kind = 'document' AND id = ? AND owner = ? AND seq > ? ORDER BY seq LIMIT 1
            """, [object.id, object.loggedOwner, seq])
        let owners = try db.row(
            """
            SELECT seq, (SELECT json_extract(d.value, '$.body') FROM json_each(before, '$.documents') d
              WHERE coalesce(json_extract(d.value, '$.id'), json_extract(d.value, '$.body.id')) = ?)
            FROM change WHERE kind = ? AND id = ? AND seq > ? AND action = 'delete' ORDER BY seq LIMIT 1
            """, [object.id, owner.kind.name, owner.id, seq])
        if let owners, own.map({ $0[0] > owners[0] as Int64 }) ?? true { return owners[1] }
        if let own { return own[1] == "create" ? nil : own[2] }
        return try db.text("SELECT json FROM document WHERE \(object.isRow)", object.key)
    }

    // MARK: - Lists

    private func members(_ object: ChangedObject, _ list: ObjectList, after seq: Int64) throws -> String? {
        let next = try db.row(
            """
            SELECT action, before FROM change WHERE kind = ? AND id = ? AND seq > ?
              AND (list = ? OR action <> 'update') AND NOT \(ChangeLog.isForClientsOnly) ORDER BY seq LIMIT 1
            """, [object.kind.name, object.id, seq, list.rawValue])
        guard let next else { return try current(Owner(object.kind, object.id), list) }
        return switch next[0] as String {
        case "create": nil
        case "delete": try removed(next[1], list)
        default: next[1]
        }
    }

    /// The current members of a list.
    func current(_ owner: Owner, _ list: ObjectList) throws -> String {
        guard let role = list.imageRole else {
            let list = ListName(url: "", owner: owner, name: list.rawValue)
            return JSONValue.canonicalText(of: try Membership(list)?.ids(in: db) ?? [])
        }
        let images = try db.texts(
            "SELECT json FROM image WHERE show_id = ? AND role = ? ORDER BY position",
            [owner.id, role.rawValue])
        return "[\(images.joined(separator: ","))]"
    }

    /// The members of a list in the logged state of a deleted object.
    private func removed(_ before: String?, _ list: ObjectList) throws -> String? {
        guard let role = list.imageRole else {
            return try db.text("SELECT json_extract(?, '$.artworks')", [before])
        }
        return try db.text(
            """
            SELECT json_group_array(json(image)) FROM (
              SELECT json_extract(value, '$.json') AS image FROM json_each(?, '$.images')
              WHERE json_extract(value, '$.role') = ?
              GROUP BY json_extract(value, '$.image') ORDER BY min(key)
            )
            """, [before, role.rawValue])
    }
}
