/// What a list that may fail midway has given so far, so that a second try of it skips what was performed.
///
/// A list of more than `limit` items isn't remembered: its failure midway is final.
struct PulledItems {
    static let limit = 10_000

    private var inOrder: ContiguousArray<Fingerprint> = []
    private var before: Set<Fingerprint> = []
    private(set) var isKnown = true

    /// Notes an item; false if an earlier try pulled it.
    mutating func admit(_ item: Fingerprint) -> Bool {
        if before.contains(item) { return false }
        guard isKnown else { return true }
        if inOrder.count == PulledItems.limit {
            isKnown = false
            inOrder = []
        } else {
            inOrder.append(item)
        }
        return true
    }

    mutating func startOver() { before.formUnion(inOrder) }
}
