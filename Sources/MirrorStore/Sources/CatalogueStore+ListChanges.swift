import Catalogue
import Foundation
import GRDB

/// Lists of described sources that are kept up to date by the changes that the server reports.
extension CatalogueStore {
    /// Adds reported changes to a list, as it was last applied: the versions of its members, and new members at its end.
    ///
    /// Nothing is done if the list was never applied. Its date and completeness stay.
    ///
    /// - Parameter members: the changed members. Of several with the same id, the last one counts.
    package func amend(_ list: ListName, with members: [(id: String, etag: String?)]) throws {
        guard !members.isEmpty else { return }
        try write { db in
            guard let state = try ListState.find(list.url, in: db), state.complete else { return }
            // One reading of the list for all members: it has no index by id.
            var positions: [ExactText: Int64] = [:], next: Int64 = 0
            let known = try db.rows(
                "SELECT id, position FROM list_member WHERE list = ? AND version = ? AND id IN (SELECT value FROM json_each(?))",
                [state.number, state.version, JSONValue.canonicalText(of: members.map(\.id))])
            for row in known {
                let id: String = row[0]
                positions[ExactText(id)] = row[1]
            }
            if let row = try db.row(
                "SELECT coalesce(max(position), -1) + 1 FROM list_member WHERE list = ? AND version = ?",
                [state.number, state.version])
            {
                next = row[0]
            }
            for member in members {
                let position = positions[ExactText(member.id)] ?? next
                if positions.updateValue(position, forKey: ExactText(member.id)) == nil { next += 1 }
                try db.run(
                    """
                    INSERT INTO list_member (list, version, position, id, etag) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (list, version, position) DO UPDATE SET etag = excluded.etag
                    """, [state.number, state.version, position, member.id, member.etag])
            }
            let added = positions.count - known.count
            try db.run("UPDATE list SET members = members + ? WHERE number = ?", [added, state.number])
        }
    }

    /// Notes when the whole list of a kind was read, complete or not. It has an effect only for kinds with a since date.
    package func noteListRead(_ kind: Kind, at time: Date) throws {
        try write(isServed: false) { db in
            try db.run(
                "UPDATE since SET audited_at = ? WHERE kind = ?", [time.formatted(.iso8601), kind.name])
        }
    }
}

extension ListState {
    /// The members of the list, as it was last applied.
    package func members(of list: ListName) -> ListDraft {
        ListDraft(list: list, number: number, version: version)
    }
}
