import MirrorStore

/// The writes of a page, in the order in which they are stored: whatever refers to something comes after it.
struct PageWrites {
    private var objects: [ObjectKind: [Write]] = [:]
    private var others: [Write] = []
    private var tombstones: [ObjectKind: [Write]] = [:]

    mutating func add(_ write: Write) {
        switch write {
        case .object(let record): objects[record.kind, default: []].append(write)
        case .tombstone(let kind, _, _): tombstones[kind, default: []].append(write)
        default: others.append(write)
        }
    }

    /// Kinds whose own list no longer tells that all of its members are here.
    private var touched: [ObjectKind] {
        PersistingOrder.kinds.filter { objects[$0] != nil || tombstones[$0] != nil }
    }

    var inOrder: [Write] {
        let kinds = [ObjectKind.partner] + PersistingOrder.kinds
        return touched.map { .unclean(kind: $0) } + kinds.flatMap { objects[$0] ?? [] } + others
            + kinds.reversed().flatMap { tombstones[$0] ?? [] }
    }
}
