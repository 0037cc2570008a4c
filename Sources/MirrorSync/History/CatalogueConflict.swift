import Catalogue
import MirrorStore

/// That an object was edited here and changed on the server: both versions, and which was left.
package struct CatalogueConflict: Sendable {
    package let conflict: LoggedConflict
    /// `nil` where it had been deleted here.
    package let local: JSONObject?
    /// `nil` where it was deleted on the server.
    package let server: JSONObject?
    /// What differs: as it was here, then as it is on the server. Empty where either is gone.
    package let fields: [FieldChanges.Change]

    package init(_ conflict: LoggedConflict) throws {
        func body(_ json: String?) throws -> JSONObject? {
            try json.flatMap { try JSONValue(parsing: $0).objectValue }
        }
        self.conflict = conflict
        local = try body(conflict.local)
        server = try body(conflict.server)
        fields =
            if let local, let server { FieldChanges(old: local, new: server).changes } else { [] }
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
