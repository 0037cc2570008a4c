/// A stable 128-bit hash of an identity: 16 bytes stand for a string of any length.
///
/// Two multiplicative hashes over the UTF-8 bytes, of different constants and different order of mixing, each
/// finished so that all bits depend on all. It doesn't withstand deliberate collisions.
struct Fingerprint: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(_ string: String) {
        var string = string
        (high, low) = string.withUTF8 { bytes in
            var high: UInt64 = 0xcbf2_9ce4_8422_2325
            var low: UInt64 = 0x9e37_79b9_7f4a_7c15
            for byte in bytes {
                high = (high ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
                low = ((low << 5 | low >> 59) ^ UInt64(byte)) &* 0xd6e8_feb8_6659_fd93
            }
            let length = UInt64(bytes.count)
            return (Fingerprint.finish(high ^ length), Fingerprint.finish(low &+ length))
        }
    }

    private static func finish(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
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
