/// Which items of a node with several parents were reached, and what became of them.
struct SharedItems {
    private var reached = FingerprintSet()
    /// Those that have not ended.
    private var open: [Fingerprint: SharedItem] = [:]
    /// Those that ended badly: true if the item itself failed, false if something under it did.
    private var damaged: [Fingerprint: Bool] = [:]

    enum Reach {
        case first(SharedItem)
        case inWork(SharedItem)
        case ended
        case damaged(itemFailed: Bool)
    }

    mutating func reach(_ item: Fingerprint, from scope: Scope) -> Reach {
        if reached.insert(item) {
            let shared = SharedItem(node: scope.node, fingerprint: item, first: scope)
            open[item] = shared
            return .first(shared)
        }
        if let shared = open[item] { return .inWork(shared) }
        if let itemFailed = damaged[item] { return .damaged(itemFailed: itemFailed) }
        return .ended
    }

    mutating func settle(_ item: SharedItem) {
        open[item.fingerprint] = nil
        if !item.isIntact { damaged[item.fingerprint] = item.hasFailed }
    }
}
