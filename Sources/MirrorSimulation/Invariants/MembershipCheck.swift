import Catalogue
import GRDB
import MirrorStore

/// Invariant 1, of membership lists: artworks, documents and pictures.
///
/// A member is removed only if a complete list without it was received in the same run; in a run that the delete guard stopped,
/// never.
struct MembershipCheck {
    private struct Member: Hashable {
        let owner: String, id: String
    }

    /// One kind of membership list.
    private struct Part: Sendable {
        let kind: Kind
        let member: String
        /// SQL for all pairs of owner and member.
        let rows: String
        /// SQL for the owners whose list waits for a sweep: the run that requested it ended early, and the next run
        /// sweeps if the list is unchanged.
        let isWaiting: String
        /// The key of an owner's list in ``ServerTranscript/lists``.
        let listKey: @Sendable (String) -> String
    }

    /// Without albums, which are also edited locally.
    private static let parts: [Part] =
        [Kind.show, .location].map { kind in
            let name = kind.name
            return Part(
                kind: kind, member: "artwork", rows: "SELECT \(name)_id, artwork_id FROM \(name)_artwork",
                isWaiting: waiting(kind, "artworks"), listKey: { PartnerCatalogue.artworks(kind, $0) })
        }
        + [Kind.show, .artist].map { kind in
            let name = kind.name
            return Part(
                kind: kind, member: "document",
                rows: "SELECT \(name)_id, id FROM document WHERE \(name)_id IS NOT NULL",
                isWaiting: waiting(kind, "documents"), listKey: { PartnerCatalogue.documents(kind, $0) })
        }
        + [ImageRole.installation, .cover].map { role in
            Part(
                kind: .show, member: "picture",
                rows: "SELECT show_id, id FROM image WHERE show_id IS NOT NULL AND role = '\(role.rawValue)'",
                isWaiting: waiting(.show, "images?default=\(role == .cover ? 1 : 0)"),
                listKey: { PartnerCatalogue.pictures($0, cover: role == .cover) })
        }

    private static func waiting(_ kind: Kind, _ list: String) -> String {
        "SELECT owner_id FROM list WHERE owner_kind = '\(kind.name)' AND name = '\(list)' AND pending = 1"
    }

    private let before: [Set<Member>]

    init(_ db: Database) throws {
        before = try Self.parts.map { part in
            let waiting = try String.fetchSet(db.cachedStatement(sql: part.isWaiting))
            return try Self.members(part, db).filter { !waiting.contains($0.owner) }
        }
    }

    private static func members(_ part: Part, _ db: Database) throws -> Set<Member> {
        Set(
            try Row.fetchAll(db.cachedStatement(sql: part.rows)).map { Member(owner: $0[0], id: $0[1]) })
    }

    func violations(_ serverTranscript: ServerTranscript, isGuarded: Bool = false, _ db: Database) throws
        -> [Violation]
    {
        let isStopped = try isGuarded && SweepCheck.sweepsOnce(db)
        return try zip(Self.parts, before).flatMap { part, before in
            try before.subtracting(Self.members(part, db)).compactMap { member -> Violation? in
                // An owner that was deleted and came back may have lost its list in between.
                guard serverTranscript.deleted[part.kind]?.contains(member.owner) != true,
                    try Self.isThere(part.kind, member.owner, db),
                    try part.member != "artwork" || Self.isThere(.artwork, member.id, db)
                else { return nil }
                let what = "\(part.member) \(member.id) was removed from \(part.kind.name) \(member.owner)"
                if isStopped {
                    return Violation(
                        .incompleteListsDeleteNothing, "\(what) in a run that the guard stopped.")
                }
                let lists = serverTranscript.lists[part.listKey(member.owner)] ?? []
                guard lists.allSatisfy({ !$0.isComplete || $0.contains(member.id) }) else { return nil }
                return Violation(
                    .incompleteListsDeleteNothing, "\(what), and no complete list without it was received.")
            }
        }
    }

    private static func isThere(_ kind: Kind, _ id: String, _ db: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM \"\(kind.name)\" WHERE id = ? AND ghost = 0)"
        return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [id]) ?? false
    }
}
