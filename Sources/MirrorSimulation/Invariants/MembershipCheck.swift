import GRDB
import MirrorStore
import PartnerAPI

/// Invariant 1, of lists under objects: what one named before a run is named by it after, unless it came in the run without
/// that; in a run that the delete guard stopped, whatever came.
struct MembershipCheck {
    private struct Member: Hashable {
        let owner: String, id: String
    }

    /// By the owner's kind. Albums are edited here, too.
    private let before: [ObjectKind: Set<Member>]

    init(_ db: Database) throws {
        before = try Self.members(db) { name in
            // What came in a run that failed waits to be taken for what is there.
            """
            WHERE \(name)_id NOT IN (SELECT owner_id FROM list
              WHERE owner_kind = '\(name)' AND name = 'artworks' AND pending = 1)
            """
        }
    }

    private static let kinds: [(kind: ObjectKind, owner: CanonicalResource.Kind)] = [
        (.show, .show), (.location, .location),
    ]

    private static func members(_ db: Database, condition: (String) -> String = { _ in "" }) throws
        -> [ObjectKind: Set<Member>]
    {
        var members: [ObjectKind: Set<Member>] = [:]
        for (kind, _) in kinds {
            let name = kind.rawValue
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: "SELECT \(name)_id, artwork_id FROM \(name)_artwork \(condition(name))"))
            members[kind] = Set(rows.map { Member(owner: $0[0], id: $0[1]) })
        }
        return members
    }

    func violations(_ said: Said, isGuarded: Bool = false, _ db: Database) throws -> [Violation] {
        let isStopped = try isGuarded && SweepCheck.sweepsOnce(db)
        let now = try Self.members(db), router = Router(partner: "p")
        return try Self.kinds.flatMap { kind, owner in
            let lost = before[kind, default: []].subtracting(now[kind, default: []])
            return try lost.compactMap { member -> Violation? in
                // Who went and came back may have lost its list on the way.
                guard said.gone[kind]?.contains(member.owner) != true,
                    try Self.isThere(kind, member.owner, db), try Self.isThere(.artwork, member.id, db),
                    let url = router.url(of: .list(of: owner, owner: member.owner, .artworks))
                else { return nil }
                if isStopped {
                    return Violation(
                        .incompleteListsDeleteNothing,
                        "artwork \(member.id) went from \(kind.rawValue) \(member.owner) in a run that the guard stopped."
                    )
                }
                let lists = said.lists[Said.list(url)] ?? []
                guard lists.allSatisfy({ $0.contains(member.id) }) else { return nil }
                return Violation(
                    .incompleteListsDeleteNothing,
                    "artwork \(member.id) went from \(kind.rawValue) \(member.owner), and no list came without it."
                )
            }
        }
    }

    private static func isThere(_ kind: ObjectKind, _ id: String, _ db: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM \"\(kind.rawValue)\" WHERE id = ? AND ghost = 0)"
        return try Bool.fetchOne(db, sql: sql, arguments: [id]) ?? false
    }
}
