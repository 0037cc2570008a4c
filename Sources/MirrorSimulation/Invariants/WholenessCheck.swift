import MirrorStore

/// Invariants 4 and 7: what `verify` looks for in a database isn't there, however a run ended.
struct WholenessCheck {
    /// Where runs don't take files of their own, no hook brings the search index up to date behind them, or removes files.
    let hasHooks: Bool
    /// Whether what follows a round of a watch has brought the search index up to date.
    var isIndexed = false
    /// While the server changes, the last look at a list may name what the run was too early for.
    let isAtRest: Bool

    /// The file as such is looked at behind each crash.
    private var checks: [StoreCheck] {
        StoreCheck.allCases.filter { check in
            switch check {
            case .integrity: false
            case .search: hasHooks || isIndexed
            case .lists: isAtRest
            default: true
            }
        }
    }

    func violations(_ store: CatalogueStore) throws -> [Violation] {
        var found: [Violation] = []
        for check in checks {
            try store.check(check) { defect in
                if case .overdue = defect, !hasHooks { return }
                found.append(Violation(.readersSeeWholeObjects, "verify would say: \(defect)"))
            }
        }
        return found
    }
}
