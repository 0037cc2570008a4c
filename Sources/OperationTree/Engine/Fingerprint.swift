/// A 128-bit hash of an identity: 16 bytes stand for a string of any length. The same in one process only.
///
/// Two halves by the standard library's hash, over the UTF-8 bytes: strings of other bytes are other identities.
struct Fingerprint: Hashable, Sendable {
    let high: Int
    let low: Int

    init(_ string: String) {
        var string = string
        (high, low) = string.withUTF8 { bytes in
            func half(_ seed: Int) -> Int {
                var hasher = Hasher()
                hasher.combine(seed)
                hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
                return hasher.finalize()
            }
            return (half(0), half(1))
        }
    }
}

/// The items that a list has given so far, so that a second try of the list skips those that were performed.
///
/// A list of more than `limit` items isn't remembered: if it fails midway, that is final.
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
