import Catalogue
import GRDB

/// One row of the change log, with what the object was before it and after it.
package struct LoggedChange: Sendable {
    package typealias Action = ObjectChange.Action

    package let seq: Int64
    /// `nil` for what was done outside a run.
    package let run: Int64?
    package let at: String
    package let object: ChangedObject
    package let action: Action
    /// The list under the object that changed; `nil` where the object itself did.
    package let list: String?
    /// JSON: the object, or the members of the list; `nil` if there was none.
    package let before: String?
    package let after: String?
    package let evidence: String?
}

/// What became of one object between two moments, whatever happened to it meanwhile.
package struct NetChange: Sendable {
    package let object: ChangedObject
    /// The object's JSON at either moment; `nil` if it wasn't there.
    package let before: String?
    package let after: String?
    /// Lists under it that were touched, with their members as JSON.
    package let lists: [(name: String, before: String?, after: String?)]
    /// The last run that changed it meanwhile, and when.
    package let run: Int64?
    package let at: String
}

/// That an object was edited here and changed on the server, and which version was left.
package struct LoggedConflict: Sendable, Hashable {
    package let seq: Int64
    package let run: Int64?
    package let at: String
    package let kind: String
    package let id: String
    package let resolution: AlbumConflict.Outcome
    /// JSON; `nil` where it had been deleted here.
    package let local: String?
    /// JSON; `nil` where it was deleted on the server.
    package let server: String?
}

/// What a change is about.
package struct ChangedObject: Sendable, Hashable {
    package let kind: Kind
    package let id: String
    /// Whose a document is.
    package let owner: Owner?

    package init(_ kind: Kind, _ id: String, owner: Owner? = nil) {
        self.kind = kind
        self.id = id
        self.owner = owner
    }

    /// From `kind`, `id` and `owner` as the log has them; `nil` for a kind that this version doesn't know.
    init?(kind: String, id: String, owner: String?, among kinds: Kinds) {
        guard let kind = kinds[kind] else { return nil }
        self.init(kind, id, owner: owner.flatMap { Owner(logged: $0, among: kinds) })
    }

    /// SQL: whether a row of the kind's table is the object, by its ``key``.
    var isRow: String { owner.map { "\($0.kind.idColumn) = ? AND id = ?" } ?? "id = ?" }
    var key: StatementArguments { StatementArguments([owner?.id, id].compactMap(\.self)) }

    /// The owner as the log has it.
    var loggedOwner: String? { owner.map(DocumentWriter.name) }

    /// The lists under objects of its kind whose changes are logged.
    var lists: [ObjectList] { kind.lists.filter { $0 != .documents } }
}

extension Owner {
    /// Reads `show/abc`.
    init?(logged text: String, among kinds: Kinds) {
        // By bytes: an id may begin with a combining character, and that and the slash are one `Character`.
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
            let kind = kinds[String(text[..<slash])]
        else { return nil }
        self.init(kind, String(text[text.utf8.index(after: slash)...]))
    }
}

extension ImageRole {
    /// The name that the log and the `validators` extension have for a show's pictures of this role.
    package var listName: String { list?.rawValue ?? "" }
}

/// Which changes are asked for.
package struct ChangeFilter: Sendable {
    package var kind: Kind?
    package var id: String?
    /// The earliest time, as the store writes times.
    package var since: String?
    package var run: Int64?
    package var limit: Int?

    package init(
        kind: Kind? = nil, id: String? = nil, since: String? = nil, run: Int64? = nil, limit: Int? = nil
    ) {
        self.run = run
        self.kind = kind
        self.id = id
        self.since = since
        self.limit = limit
    }

    /// The filter as a condition on `change`.
    var condition: (sql: String, arguments: StatementArguments) {
        let all: [(sql: String, value: (any DatabaseValueConvertible)?)] = [
            // Without an id the rows are read from the newest on, not gathered by an index and sorted.
            (id == nil ? "+kind = ?" : "kind = ?", kind?.name), ("id = ?", id), ("at >= ?", since),
            ("run = ?", run), ("seq >= (SELECT first_change FROM sync_log WHERE run = ?)", run),
        ]
        let asked = all.filter { $0.value != nil }
        let sql = ["NOT \(ChangeLog.isForOthersOnly)"] + asked.map(\.sql)
        return (sql.joined(separator: " AND "), StatementArguments(asked.map(\.value)))
    }
}
