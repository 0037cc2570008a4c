import Catalogue
import GRDB

/// Sweeps lists under objects that no longer name all of their stored members.
///
/// Each list is a scope, like a kind's own list.
extension Deleter {
    /// A list that no longer names all members that are stored under its owner.
    struct ShrunkList {
        enum Part {
            /// Artworks of a show, album or location.
            case artworks(Membership)
            /// The ids of documents that the list no longer names.
            case documents([String])
            /// The ids of a show's pictures in one role that the list no longer names.
            case pictures(ImageRole, [String])
        }

        let list: PendingList
        let part: Part
        /// The number of removed members that the delete guard counts.
        var losses = 0

        /// Whether the list is empty now, and would lose more members than the guard always allows.
        var isEmptied: Bool { list.members == 0 && losses > DeleteGuard.few }
        var owner: Owner { list.name.owner }
        /// Whether documents or pictures would be removed.
        var losesParts: Bool {
            switch part {
            case .artworks: false
            case .documents(let ids), .pictures(_, let ids): !ids.isEmpty
            }
        }
    }

    // MARK: - The guard

    /// Sets the number of losses of each list, for the delete guard.
    ///
    /// Members of an object that is deleted itself are not counted, because the guard counts that object.
    func count(_ shrunk: inout [ShrunkList], beside scopes: [Scope]) throws {
        guard !shrunk.isEmpty else { return }
        let deletions = Dictionary(scopes.map { ($0.intent.kind, $0.ids) }, uniquingKeysWith: { $1 })
        let owners = deletions.mapValues { Set($0.map(ExactText.init)) }
        let members = try membershipLosses(besides: deletions)
        for index in shrunk.indices {
            let owner = shrunk[index].owner
            switch shrunk[index].part {
            case .artworks:
                shrunk[index].losses = members[shrunk[index].list.number] ?? 0
            case .documents(let ids), .pictures(_, let ids):
                let isDeleted = owners[owner.kind]?.contains(ExactText(owner.id)) == true
                shrunk[index].losses = isDeleted ? 0 : ids.count
            }
        }
    }

    /// The losses for the delete guard, added up by kind of list. Covers are not counted: a show may change its cover.
    ///
    /// - Parameter share: a factor for the losses under a kind, for an estimate from a part of the lists. Default: 1.
    func intents(
        of shrunk: [ShrunkList], share: (Kind) -> Double = { _ in 1 }
    ) throws -> [DeleteGuard.Intent] {
        func intent(
            _ kind: Kind, _ members: DeleteGuard.Members?, of rows: String,
            _ isCounted: (ShrunkList) -> Bool
        ) throws -> DeleteGuard.Intent? {
            let all = shrunk.filter(isCounted).reduce(0.0) { $0 + Double($1.losses) * share($1.owner.kind) }
            let deletions = Int(all.rounded())
            guard deletions > 0 else { return nil }
            let held = try db.number("SELECT count(*) FROM \(rows)") ?? 0
            return DeleteGuard.Intent(
                kind: kind, members: members, held: held, listed: max(0, held - deletions),
                deletions: deletions)
        }
        let joined = try log.kinds.listed.filter(\.hasMembers).map { kind in
            let listed = kind.isEdited ? " WHERE \(Membership.isListed)" : ""
            return try intent(kind, .artworks, of: kind.membersTable + listed) {
                if case .artworks = $0.part { $0.owner.kind == kind } else { false }
            }
        }
        let documents = try intent(.document, nil, of: "document WHERE kept = 0") {
            if case .documents = $0.part { true } else { false }
        }
        let shots = try intent(.show, .installationShots, of: "image WHERE role = 'installation'") {
            if case .pictures(.installation, _) = $0.part { true } else { false }
        }
        return (joined + [documents, shots]).compactMap(\.self)
    }

    // MARK: - Lists that aren't swept

    /// Removes nothing from some lists, and removes their ETags and dates, so that the next run requests them again.
    func skip(_ lists: [ShrunkList], _ report: inout FinishReport) throws {
        guard !lists.isEmpty else { return }
        for list in lists {
            try db.run("UPDATE list SET etag = NULL WHERE number = ?", [list.list.number])
        }
        report.held = lists.map { UnappliedList(owner: $0.owner, name: $0.list.name.name, losses: $0.losses) }
        let kinds = log.kinds.listed.filter { kind in lists.contains { $0.owner.kind == kind } }
        for kind in kinds { try ListWriter.unclean(kind, in: db) }
        try SinceWriter(db: db).forget(kinds)
    }
}

/// Documents and pictures of shows that their owner's list no longer names.
extension Deleter {
    /// The pending lists of documents.
    func pendingDocuments() throws -> [ShrunkList] {
        try pendingParts("documents", ShrunkList.Part.documents) { owner in
            "document t WHERE t.\(owner.kind.idColumn) = ?1 AND t.kept = 0"
        }
    }

    /// The pending lists of installation shots and covers.
    func pendingPictures() throws -> [ShrunkList] {
        try Kind.show.imageRoles.flatMap { role in
            try pendingParts(role.listName, { .pictures(role, $0) }) { _ in
                "image t WHERE t.show_id = ?1 AND t.role = '\(role.rawValue)'"
            }
        }
    }

    /// Pending lists, with the ids of stored parts that each no longer names.
    ///
    /// - Parameter rows: the `FROM` clause's table `t` and condition: the stored parts of an owner.
    private func pendingParts(
        _ name: String, _ part: ([String]) -> ShrunkList.Part, _ rows: (Owner) -> String
    ) throws -> [ShrunkList] {
        try pending(name).map { list in
            let ids = try db.texts(
                """
                SELECT t.id FROM \(rows(list.name.owner))
                  AND t.id NOT IN (SELECT id FROM list_member WHERE list = ?2 AND version = ?3)
                """, [list.name.owner.id, list.number, list.version])
            return ShrunkList(list: list, part: part(ids))
        }
    }

    /// Settles the lists that lose nothing.
    ///
    /// - Returns: the other lists.
    func settleWithoutLosses(_ lists: [ShrunkList]) throws -> [ShrunkList] {
        try lists.filter { list in
            if list.losesParts { return true }
            try settle(list.list.number)
            return false
        }
    }

    /// Removes the documents or pictures that a list no longer names.
    func sweepParts(_ shrunk: ShrunkList, _ report: inout FinishReport) throws {
        switch shrunk.part {
        case .artworks: return
        case .documents(let ids):
            for id in ids {
                let evidence = absence(
                    .document, "\(DocumentWriter.name(shrunk.owner))/\(id)", from: shrunk.list.name.url)
                try ObjectRemover(log: log).removeDocument(shrunk.owner, id, evidence: evidence)
            }
            if !ids.isEmpty { report.deleted[.document, default: 0] += ids.count }
        case .pictures(let role, let ids):
            let isUpdate = try ImageWriter(log: log).remove(
                ids, of: shrunk.owner, role: role, list: shrunk.list.name)
            if isUpdate { report.updatedByList[.show, default: []].insert(shrunk.owner.id) }
        }
        try settle(shrunk.list.number)
    }
}
