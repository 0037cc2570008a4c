import Catalogue
import MirrorStore

/// What happened to one object: one row of the log, or the net effect of many.
package struct CatalogueChange: Sendable {
    package let object: ChangedObject
    package let action: LoggedChange.Action
    /// `nil` for what was done outside a run.
    package let run: Int64?
    package let at: String
    /// What the object is called, after the change if it is still there.
    package let name: String?
    package let fields: [FieldChanges.Change]
    /// Lists under it whose members changed.
    package let lists: [(name: String, members: MemberChanges)]
    package let evidence: String?

    /// A row of the log.
    package init(_ change: LoggedChange) throws {
        object = change.object
        action = change.action
        run = change.run
        at = change.at
        evidence = change.evidence
        if let list = change.list {
            let members = try MemberChanges(old: change.before, new: change.after)
            (name, fields, lists) = (nil, [], [(list, members)])
        } else {
            let before = try JSONObject(logged: change.before), after = try JSONObject(logged: change.after)
            name = Self.name(after ?? before)
            fields = action == .update ? FieldChanges.between(before ?? [:], after ?? [:]) : []
            lists = []
        }
    }

    /// What is left of several changes.
    ///
    /// Made and gone again is nothing; gone and made again is what differs; several changes of a field are one, or none
    /// if it ended as it began.
    ///
    /// - Returns: `nil` if nothing is left.
    package init?(_ change: NetChange) throws {
        let before = try JSONObject(logged: change.before), after = try JSONObject(logged: change.after)
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, _): (action, fields, lists) = (.create, [], [])
        case (_, nil): (action, fields, lists) = (.delete, [], [])
        case (let before?, let after?):
            action = .update
            fields = FieldChanges.between(before, after)
            lists = try change.lists.compactMap { list in
                let members = try MemberChanges(old: list.before, new: list.after)
                return members.isEmpty ? nil : (list.name, members)
            }
            if fields.isEmpty, lists.isEmpty { return nil }
        }
        object = change.object
        name = Self.name(after ?? before)
        run = change.run
        at = change.at
        evidence = nil
    }

    private static func name(_ body: JSONObject?) -> String? {
        for key in ["title", "name", "display_name", "filename"] {
            if let text = body?[key]?.stringValue, !text.isBlank { return text }
        }
        return nil
    }
}

extension JSONObject {
    /// An object's JSON as the log has it; `nil` where it has none.
    fileprivate init?(logged json: String?) throws {
        guard let object = try json.flatMap({ try JSONValue(parsing: $0).objectValue }) else { return nil }
        self = object
    }
}

/// That an object was edited here and changed on the server: both versions, and which was left.
package struct CatalogueConflict: Sendable {
    package let conflict: LoggedConflict
    /// `nil` where it had been deleted here.
    package let local: JSONObject?
    /// `nil` where it was deleted on the server.
    package let server: JSONObject?
    /// What differs: as it was here, then as it is on the server. Empty where either is gone.
    package var fields: [FieldChanges.Change] {
        if let local, let server { FieldChanges.between(local, server) } else { [] }
    }

    package init(_ conflict: LoggedConflict) throws {
        self.conflict = conflict
        local = try JSONObject(logged: conflict.local)
        server = try JSONObject(logged: conflict.server)
    }

    package var name: String? { (local ?? server)?["name"]?.stringValue }

    /// What became of it, in a sentence.
    package var sentence: String { conflict.sentence }
}

extension LoggedConflict {
    /// What became of it, in a sentence.
    var sentence: String {
        switch (resolution, local, server) {
        case (.local, nil, _):
            "It was deleted here and changed on the server before that; it is deleted there too."
        case (.local, _, _):
            "It was changed here and on the server; what was changed here counts, and was kept."
        case (.server, nil, _): "It was deleted here, and changed otherwise, there or here; it is here again."
        case (.server, _, _): "It was changed here and on the server; the server's version was taken."
        case (.deleted, _, _):
            "The server deleted this \(kind), which was edited here; the edit is kept in the log."
        }
    }

    /// The conflict as a run reports it.
    var problem: Problem {
        Problem(
            what: resolution == .deleted ? "lost edit" : "conflict", kind: kind, id: id, message: sentence)
    }
}

/// What differs between two states of an object, field by field. Values are compared as JSON values.
package enum FieldChanges {
    package struct Change: Sendable, Hashable {
        package let name: String
        /// `nil` where the object didn't have the field.
        package let old: JSONValue?
        package let new: JSONValue?
    }

    /// In the order of the names.
    package static func between(_ old: JSONObject, _ new: JSONObject) -> [Change] {
        let other = old.members.filter { new[$0.key] != $0.value }
            .map { Change(name: $0.key, old: $0.value, new: new[$0.key]) }
        let added = new.members.filter { old[$0.key] == nil }
            .map { Change(name: $0.key, old: nil, new: $0.value) }
        return (other + added).sorted { UTF8Order.precedes($0.name, $1.name) }
    }
}
