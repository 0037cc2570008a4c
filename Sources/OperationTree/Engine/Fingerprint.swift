/// A 128-bit hash of an identity, which saves the memory of long strings. Valid only within one process.
///
/// It consists of two hashes of the UTF-8 bytes, with different seeds. Strings that are canonically equivalent but have
/// different bytes are different identities.
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

/// The items pulled from a list so far. A second try of the list skips them.
///
/// Beyond `limit` items nothing is recorded. If such a list fails midway, the failure is final.
struct PulledItems {
    static let limit = 10_000

    private var pulled: ContiguousArray<Fingerprint> = []
    private var pulledByEarlierTries: Set<Fingerprint> = []
    /// Whether all pulled items are recorded.
    private(set) var isRecorded = true

    /// Records an item. Returns false if an earlier try pulled it.
    mutating func insert(_ item: Fingerprint) -> Bool {
        if pulledByEarlierTries.contains(item) { return false }
        guard isRecorded else { return true }
        if pulled.count == PulledItems.limit {
            isRecorded = false
            pulled = []
        } else {
            pulled.append(item)
        }
        return true
    }

    mutating func beginSecondTry() { pulledByEarlierTries.formUnion(pulled) }
}
