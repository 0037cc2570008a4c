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
            let before = try Self.body(change.before), after = try Self.body(change.after)
            name = Self.name(after ?? before)
            fields = action == .update ? FieldChanges(old: before ?? [:], new: after ?? [:]).changes : []
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
        let before = try Self.body(change.before), after = try Self.body(change.after)
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, _): (action, fields, lists) = (.create, [], [])
        case (_, nil): (action, fields, lists) = (.delete, [], [])
        case (let before?, let after?):
            action = .update
            fields = FieldChanges(old: before, new: after).changes
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

    private static func body(_ json: String?) throws -> JSONObject? {
        try json.flatMap { try JSONValue(parsing: $0).objectValue }
    }

    private static func name(_ body: JSONObject?) -> String? {
        for key in ["title", "name", "display_name", "filename"] {
            if let text = body?[key]?.stringValue, !text.isBlank { return text }
        }
        return nil
    }
}
