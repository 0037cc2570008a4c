import Catalogue
import GRDB

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
        case .documents(let ids): try sweep(ids, losing.list, &report)
        case .pictures(let role, let ids):
            let isNews = try ImageWriter(log: log).remove(
                ids, of: losing.owner, role: role, list: losing.list.name)
            if isNews { report.updatedByList[.show, default: []].insert(losing.owner.id) }
        }
        try settle(losing.list.number)
    }

    private func sweep(_ ids: [String], _ list: PendingList, _ report: inout FinishReport) throws {
        let owner = list.name.owner
        for id in ids {
            let missing =
                request.notFound[.document]?["\(DocumentWriter.name(owner))/\(id)"].map {
                    "; 404 from \($0)"
                }
                ?? ""
            try ObjectRemover(log: log).removeDocument(
                owner, id, evidence: "not in \(list.name.url)\(missing)")
            report.deleted[.document, default: 0] += 1
        }
    }
}
