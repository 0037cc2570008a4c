import Catalogue
import GRDB

/// One row of the change log, with the object's state before and after it.
package struct LoggedChange: Sendable {
    package typealias Action = ObjectChange.Action

    package let seq: Int64
    /// The run that made the change; `nil` outside a run.
    package let run: Int64?
    package let at: String
    package let object: ChangedObject
    package let action: Action
    /// The list under the object that changed; `nil` if the object itself changed.
    package let list: String?
    /// The object, or the members of the list, as JSON; `nil` if it didn't exist.
    package let before: String?
    package let after: String?
    package let evidence: String?
}

/// The difference between the states of one object at two moments.
package struct NetChange: Sendable {
    package let object: ChangedObject
    /// The object's JSON at the first moment; `nil` if it didn't exist.
    package let before: String?
    /// The object's JSON at the second moment; `nil` if it didn't exist.
    package let after: String?
    /// The lists under the object that changed between the moments, with their members as JSON.
    package let lists: [(name: String, before: String?, after: String?)]
    /// The last run that changed the object between the moments, and when.
    package let run: Int64?
    package let at: String
}

/// A logged conflict: an object was edited locally and changed on the server.
package struct LoggedConflict: Sendable, Hashable {
    package let seq: Int64
    package let run: Int64?
    package let at: String
    package let kind: String
    package let id: String
    /// Which version was kept.
    package let resolution: AlbumConflict.Outcome
    /// The local version as JSON; `nil` if it had been deleted locally.
    package let local: String?
    /// The server's version as JSON; `nil` if it was deleted on the server.
    package let server: String?
}

/// Identifies the object of a change.
package struct ChangedObject: Sendable, Hashable {
    package let kind: Kind
    package let id: String
    /// The object that a document belongs to; `nil` for other kinds.
    package let owner: Owner?

    package init(_ kind: Kind, _ id: String, owner: Owner? = nil) {
        self.kind = kind
        self.id = id
        self.owner = owner
    }

    /// Reads the columns `kind`, `id` and `owner` of the log; `nil` for an unknown kind.
    init?(kind: String, id: String, owner: String?, among kinds: Kinds) {
        guard let kind = kinds[kind] else { return nil }
        self.init(kind, id, owner: owner.flatMap { Owner(logged: $0, among: kinds) })
    }

    /// SQL condition: a row of the kind's table is the object. Its arguments are the ``key``.
    var isRow: String { owner.map { "\($0.kind.idColumn) = ? AND id = ?" } ?? "id = ?" }
    var key: StatementArguments { StatementArguments([owner?.id, id].compactMap(\.self)) }

    /// The owner in the log's form, for example `show/abc`.
    var loggedOwner: String? { owner.map(DocumentWriter.name) }

    /// The lists under the object whose changes are logged.
    var lists: [ObjectList] { kind.lists.filter { $0 != .documents } }
}

extension Owner {
    /// Reads `show/abc`.
    init?(logged text: String, among kinds: Kinds) {
        // By bytes, because an id may begin with a combining character, which forms one `Character` with the slash.
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
            let kind = kinds[String(text[..<slash])]
        else { return nil }
        self.init(kind, String(text[text.utf8.index(after: slash)...]))
    }
}

extension ImageRole {
    /// The name of a show's list of pictures with this role, in the log and in the `validators` extension.
    package var listName: String { list?.rawValue ?? "" }
}

/// Selects changes of the log. `nil` doesn't restrict.
package struct ChangeFilter: Sendable {
    package var kind: Kind?
    package var id: String?
    /// The earliest time, in the store's format.
    package var since: String?
    package var run: Int64?
    /// The maximum number of changes.
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

    /// The filter as an SQL condition on `change`.
    var condition: (sql: String, arguments: StatementArguments) {
        let all: [(sql: String, value: (any DatabaseValueConvertible)?)] = [
            // The plus sign excludes the index on `kind`: without an id, rows are read newest first instead of sorted.
            (id == nil ? "+kind = ?" : "kind = ?", kind?.name), ("id = ?", id), ("at >= ?", since),
            ("run = ?", run), ("seq >= (SELECT first_change FROM sync_log WHERE run = ?)", run),
        ]
        let asked = all.filter { $0.value != nil }
        let sql = ["NOT \(ChangeLog.isForOthersOnly)"] + asked.map(\.sql)
        return (sql.joined(separator: " AND "), StatementArguments(asked.map(\.value)))
    }
}
