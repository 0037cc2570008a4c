/// What the end of a run would sweep, and whether the guard would let it.
package struct PlannedDeletions: Sendable {
    /// Ids by kind, in the order in which they would go.
    package var ids: [(kind: ObjectKind, ids: [String])] = []
    /// What would stop the sweep; empty if nothing would.
    package var objections: [DeleteGuard.Intent] = []

    package init() {}
}

extension CatalogueStore {
    /// The Deleter's own reading part: the same scopes, the same guard, and nothing is written.
    package func planDeletions(_ request: FinishRequest) throws -> PlannedDeletions {
        guard request.mayDelete else { return PlannedDeletions() }
        let at = timestamp()
        return try read { db in
            let scopes = try Deleter(log: ChangeLog(db: db, run: request.run, at: at), request: request)
                .kindScopes()
            var planned = PlannedDeletions()
            planned.objections = DeleteGuard(request.limit).objections(to: scopes.map(\.intent))
            planned.ids = scopes.map { ($0.intent.kind, $0.ids) }
            return planned
        }
    }
}
