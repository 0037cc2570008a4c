import Catalogue

/// Shows that were removed because they ended long ago, in SQL: said once, for lists, checks and the end of a run.
///
/// The list of their kind still names them. They are not fetched again while they are in the version that was pruned.
enum Pruned {
    static let kinds: Set<Kind> = [.show]

    /// The condition that the member `m` of a list was pruned, and that nothing of it, or only a restored copy, is in the
    /// row `o`.
    static func isOut(_ kind: Kind) -> String {
        guard kinds.contains(kind) else { return "0" }
        return "((o.id IS NULL OR o.ghost OR o.kept) AND EXISTS (SELECT 1 \(row(kind))))"
    }

    /// The same, in the very version that the list names: nothing has to be fetched.
    static func isLeftOut(_ kind: Kind) -> String {
        guard kinds.contains(kind) else { return "0" }
        return "((o.id IS NULL OR o.ghost OR o.kept) AND EXISTS (SELECT 1 \(row(kind)) AND p.etag = m.etag))"
    }

    /// The ETag of the version that was pruned.
    static func etag(_ kind: Kind) -> String {
        kinds.contains(kind) ? "(SELECT p.etag \(row(kind)))" : "NULL"
    }

    private static func row(_ kind: Kind) -> String {
        "FROM pruned p WHERE p.kind = '\(kind.name)' AND p.id = m.id"
    }

    /// When what a column says ended, in days; a mere date lasts until the day is over. `NULL` for anything else.
    static func end(_ column: String) -> String {
        """
        CASE WHEN \(column) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
          THEN julianday(\(column), CASE length(\(column)) WHEN 10 THEN '+1 day' ELSE '+0 days' END) END
        """
    }
}
