import MirrorStore

/// Invariants 4 and 7: `mirror verify` would find no defect in the database, however a run ended.
struct VerifyCheck {
    /// Whether runs open their own files, and so run the hooks that update the search index and remove files.
    let hasHooks: Bool
    /// Whether the search index was updated after a watch's round.
    var isIndexed = false
    /// Whether the server was at rest. While it changes, a list may already name objects that the run did not request
    /// yet.
    let isAtRest: Bool

    /// Without the check of the file itself, which is made after each crash.
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
                found.append(Violation(.readersSeeCompleteObjects, "verify would report: \(defect)"))
            }
        }
        return found
    }
}
