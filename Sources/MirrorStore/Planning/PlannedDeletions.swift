import Catalogue

/// What the end of a run would sweep, and whether the guard would let it.
package struct PlannedDeletions: Sendable {
    /// Ids by kind, in the order in which they would go.
    package var ids: [(kind: Kind, ids: [String])] = []
    /// What would stop the sweep; empty if nothing would.
    package var objections: [DeleteGuard.Intent] = []
    /// How much would go in all, objects and members of lists alike.
    package var intended = 0

    package init() {}
}

extension CatalogueStore {
    /// The Deleter's own reading part: the same scopes, the same guard, and nothing is written.
    ///
    /// - Parameter share: by how much what lists under objects of a kind lose is to be multiplied, as only some of these lists were
    ///   looked at; 0 where these don't tell.
    package func planDeletions(
        _ request: FinishRequest, share: @Sendable (Kind) -> Double = { _ in 1 }
    ) throws -> PlannedDeletions {
        guard request.mayDelete else { return PlannedDeletions() }
        return try read { db in
            let deleter = Deleter(log: try ChangeLog(self, db, run: request.run), request: request)
            let scopes = try deleter.kindScopes()
            var losing = try deleter.waitingMembers() + deleter.waitingDocuments() + deleter.waitingPictures()
            try deleter.count(&losing, beside: scopes)
            let intents = try scopes.map(\.intent) + deleter.intents(of: losing, share: share)
            var planned = PlannedDeletions()
            planned.objections = DeleteGuard(request.limit).objections(to: intents)
            planned.ids = scopes.map { ($0.intent.kind, $0.ids) }
            planned.intended = intents.reduce(0) { $0 + $1.deletions }
            return planned
        }
    }

    /// Notes in a plan's own tables what a list under an object names, as a sync stores it.
    package func foresee(_ list: ListAnswer, ids: [String], run: Int64) throws {
        try write { db in
            let log = try ChangeLog(self, db, run: run)
            _ = try ListWriter(log: log).stage(list, ids: ids)
        }
    }
}
