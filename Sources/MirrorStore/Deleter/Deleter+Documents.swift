import GRDB

/// Documents that their owner's list no longer names.
extension Deleter {
    struct DocumentScope {
        let list: PendingList
        let ids: [String]
    }

    func documentScope() throws -> [DocumentScope] {
        try pending("documents").map { list in
            let ids = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM document WHERE \(DocumentWriter.column(list.name.owner)) = ? AND kept = 0
                          AND id NOT IN (SELECT id FROM list_member WHERE list = ? AND version = ?)
                        """), arguments: [list.name.owner.id, list.number, list.version])
            return DocumentScope(list: list, ids: ids)
        }
    }

    func documentIntent(_ scopes: [DocumentScope]) throws -> DeleteGuard.Intent? {
        let deletions = scopes.reduce(0) { $0 + $1.ids.count }
        guard deletions > 0 else { return nil }
        let held =
            try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM document WHERE kept = 0")) ?? 0
        return DeleteGuard.Intent(kind: .document, held: held, listed: held - deletions, deletions: deletions)
    }

    func sweep(_ scopes: [DocumentScope], _ report: inout FinishReport) throws {
        for scope in scopes {
            for id in scope.ids {
                let owner = scope.list.name.owner
                let missing =
                    request.notFound[.document]?["\(DocumentWriter.name(owner))/\(id)"].map {
                        "; 404 from \($0)"
                    }
                    ?? ""
                try ObjectRemover(log: log).removeDocument(
                    owner, id, evidence: "not in \(scope.list.name.url)\(missing)")
                report.deleted[.document, default: 0] += 1
            }
            try settle(scope.list.number)
        }
    }
}
