import Catalogue
import GRDB

/// Lists under objects that came without some of what is stored of them, in the Deleter's scopes as the kinds' own lists are.
extension Deleter {
    /// A list that lacks what its owner has.
    struct LosingList {
        enum Part {
            /// Artworks of a show, album or location. The guard counts ``losses`` of those that it lacks.
            case artworks(Membership)
            /// Documents, or pictures of a show in one role, and the ids of those that it lacks.
            case documents([String])
            case pictures(ImageRole, [String])
        }

        let list: PendingList
        let part: Part
        /// Of those that it lacks, how many the guard counts.
        var losses = 0

        /// Whether it names nothing now, and would lose more than a few.
        var isEmptied: Bool { list.members == 0 && losses > DeleteGuard.few }
        var owner: Owner { list.name.owner }
        /// Whether it lacks documents or pictures.
        var lacksParts: Bool {
            switch part {
            case .artworks: false
            case .documents(let ids), .pictures(_, let ids): !ids.isEmpty
            }
        }
    }

    // MARK: - The guard

    /// What goes with an object that goes is not counted: the guard is asked about that object.
    func count(_ losing: inout [LosingList], beside scopes: [Scope]) throws {
        guard !losing.isEmpty else { return }
        let going = Dictionary(scopes.map { ($0.intent.kind, $0.ids) }, uniquingKeysWith: { $1 })
        let owners = going.mapValues { Set($0.map(ExactText.init)) }
        let members = try membershipLosses(going)
        for place in losing.indices {
            let owner = losing[place].owner
            switch losing[place].part {
            case .artworks:
                losing[place].losses = members[losing[place].list.number] ?? 0
            case .documents(let ids), .pictures(_, let ids):
                let goes = owners[owner.kind]?.contains(ExactText(owner.id)) == true
                losing[place].losses = goes ? 0 : ids.count
            }
        }
    }

    /// What would go from each kind of list, for the guard. That another picture is a show's cover is nothing odd.
    ///
    /// - Parameter share: by how much the losses under a kind of object are to be multiplied, where only a part of the lists
    ///   was looked at.
    func intents(
        of losing: [LosingList], share: (Kind) -> Double = { _ in 1 }
    ) throws -> [DeleteGuard.Intent] {
        func intent(
            _ kind: Kind, _ members: DeleteGuard.Members?, of rows: String,
            _ isCounted: (LosingList) -> Bool
        ) throws -> DeleteGuard.Intent? {
            let all = losing.filter(isCounted).reduce(0.0) { $0 + Double($1.losses) * share($1.owner.kind) }
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

    // MARK: - What stays

    /// Keeps what some lists lack, and forgets their ETags and dates, so that the next run requests these lists again.
    func hold(_ lists: [LosingList], _ report: inout FinishReport) throws {
        guard !lists.isEmpty else { return }
        for list in lists {
            try db.run("UPDATE list SET etag = NULL WHERE number = ?", [list.list.number])
        }
        report.held = lists.map { HeldList(owner: $0.owner, name: $0.list.name.name, losses: $0.losses) }
        let kinds = log.kinds.listed.filter { kind in lists.contains { $0.owner.kind == kind } }
        for kind in kinds { try ListWriter.unclean(kind, in: db) }
        try SinceWriter(db: db).forget(kinds)
    }
}

/// Documents and pictures of shows that their owner's list no longer names.
extension Deleter {
    /// Lists of documents that changed, with what they lack.
    func waitingDocuments() throws -> [LosingList] {
        try waiting("documents", LosingList.Part.documents) { owner in
            "document t WHERE t.\(owner.kind.idColumn) = ?1 AND t.kept = 0"
        }
    }

    /// Lists of installation shots and covers that lack some of those that are stored.
    func waitingPictures() throws -> [LosingList] {
        try Kind.show.imageRoles.flatMap { role in
            try waiting(role.listName, { .pictures(role, $0) }) { _ in
                "image t WHERE t.show_id = ?1 AND t.role = '\(role.rawValue)'"
            }
        }
    }

    /// - Parameter rows: SQL: what is stored of an owner, as `t`.
    private func waiting(
        _ name: String, _ part: ([String]) -> LosingList.Part, _ rows: (Owner) -> String
    ) throws -> [LosingList] {
        try pending(name).map { list in
            let ids = try db.texts(
                """
                SELECT t.id FROM \(rows(list.name.owner))
                  AND t.id NOT IN (SELECT id FROM list_member WHERE list = ?2 AND version = ?3)
                """, [list.name.owner.id, list.number, list.version])
            return LosingList(list: list, part: part(ids))
        }
    }

    /// What still waits: lists that lack nothing are settled.
    func settleComplete(_ lists: [LosingList]) throws -> [LosingList] {
        try lists.filter { list in
            if list.lacksParts { return true }
            try settle(list.list.number)
            return false
        }
    }

    /// Removes what a list of documents or pictures lacks.
    func sweepParts(_ losing: LosingList, _ report: inout FinishReport) throws {
        switch losing.part {
        case .artworks: return
        case .documents(let ids):
            for id in ids {
                let evidence = absence(
                    .document, "\(DocumentWriter.name(losing.owner))/\(id)", from: losing.list.name.url)
                try ObjectRemover(log: log).removeDocument(losing.owner, id, evidence: evidence)
            }
            if !ids.isEmpty { report.deleted[.document, default: 0] += ids.count }
        case .pictures(let role, let ids):
            let isNews = try ImageWriter(log: log).remove(
                ids, of: losing.owner, role: role, list: losing.list.name)
            if isNews { report.updatedByList[.show, default: []].insert(losing.owner.id) }
        }
        try settle(losing.list.number)
    }
}
