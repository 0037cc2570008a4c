import Catalogue

/// The change of one object: one row of the log, or the net effect of several rows.
package struct CatalogueChange: Sendable {
    package let object: ChangedObject
    package let action: LoggedChange.Action
    /// The number of the run; `nil` for a change outside a run.
    package let run: Int64?
    package let at: String
    /// The object's title or name, after the change unless it was deleted.
    package let name: String?
    package let fields: [FieldChanges.Change]
    /// Lists under it whose members changed.
    package let lists: [(name: String, members: MemberChanges)]
    package let evidence: String?

    /// The change of one row of the log.
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

    /// The net effect of several changes; `nil` if they cancel each other out.
    ///
    /// - An object that was created and deleted did not change.
    /// - An object that was deleted and created again has an update with the fields that differ.
    /// - Several changes of a field are one change, or none if it has its former value again.
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
    /// Parses an object's JSON from the log; `nil` if the log has none.
    package init?(logged json: String?) throws {
        guard let object = try json.flatMap({ try JSONValue(parsing: $0).objectValue }) else { return nil }
        self = object
    }
}

/// An album that was changed locally and on the server: both versions, and which one was kept.
package struct CatalogueConflict: Sendable {
    package let conflict: LoggedConflict
    /// The local version; `nil` if it was deleted locally.
    package let local: JSONObject?
    /// The server's version; `nil` if it was deleted on the server.
    package let server: JSONObject?
    /// The fields that differ: `old` is the local value, `new` the server's. Empty if either version was deleted.
    package var fields: [FieldChanges.Change] {
        if let local, let server { FieldChanges.between(local, server) } else { [] }
    }

    package init(_ conflict: LoggedConflict) throws {
        self.conflict = conflict
        local = try JSONObject(logged: conflict.local)
        server = try JSONObject(logged: conflict.server)
    }

    package var name: String? { (local ?? server)?["name"]?.stringValue }

    /// The conflict and its resolution, in a sentence.
    package var sentence: String { conflict.sentence }
}

extension LoggedConflict {
    /// The conflict and its resolution, in a sentence.
    package var sentence: String {
        switch (resolution, local, server) {
        case (.local, nil, _):
            "It was deleted locally, and had changed on the server before; it was deleted on the server too."
        case (.local, _, _): "It was changed locally and on the server; the local version was kept."
        case (.server, nil, _):
            "It was deleted locally, and also changed locally or on the server; it was restored."
        case (.server, _, _): "It was changed locally and on the server; the server's version was kept."
        case (.deleted, _, _):
            "The server deleted this \(kind), which was edited locally; the edit is kept in the log."
        }
    }
}
