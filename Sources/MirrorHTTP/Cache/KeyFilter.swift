/// Which keys came, by their hashes, in a megabyte however many they are (Bloom's filter).
///
/// Of a million that didn't come about one in forty is taken for one that may have; of a hundred thousand, hardly any.
struct KeyFilter: Sendable {
    private static let bits: UInt64 = 1 << 23
    private static let looks: UInt64 = 5
    /// Made with the first key.
    private var words: [UInt64] = []

    mutating func insert(_ hash: Int64) {
        if words.isEmpty { words = [UInt64](repeating: 0, count: Int(Self.bits / 64)) }
        for place in Self.places(of: hash) { words[place.word] |= place.bit }
    }

    /// `false` only of what was never inserted.
    func mayContain(_ hash: Int64) -> Bool {
        !words.isEmpty && Self.places(of: hash).allSatisfy { words[$0.word] & $0.bit != 0 }
    }

    /// Steps of a width that is odd, and so reaches every bit; both halves of the hash are as good as random.
    private static func places(of hash: Int64) -> some Sequence<(word: Int, bit: UInt64)> {
        let hash = UInt64(bitPattern: hash), step = (hash >> 32) | 1
        return (0..<looks).lazy.map { look in
            let bit = (hash &+ look &* step) % bits
            return (Int(bit / 64), 1 << (bit % 64))
        }
    }
}
