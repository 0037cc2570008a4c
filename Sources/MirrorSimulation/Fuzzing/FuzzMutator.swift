import MirrorSync

/// Makes random inputs from a corpus. The same seed and number give the same input.
package struct FuzzMutator: Sendable {
    /// The longest input that is made, in bytes.
    package static let maximalLength = 16 << 10

    private let corpus: [[UInt8]]
    private let words: [[UInt8]]

    package init(corpus: [[UInt8]], words: [[UInt8]] = []) {
        self.corpus = corpus.isEmpty ? [[]] : corpus
        self.words = words
    }

    /// The input with a number. The first inputs are those of the corpus, unchanged.
    package func input(_ number: UInt64, seed: UInt64) -> [UInt8] {
        if number < UInt64(corpus.count) { return corpus[Int(number)] }
        // Mixed twice, so that the inputs of neighbouring seeds and numbers are not related.
        var mix = SplitMix(seed: seed)
        var random = SplitMix(seed: mix.next() ^ (number &* 0x9E37_79B9_7F4A_7C15))
        var input = corpus[random.below(corpus.count)]
        for _ in 0...random.below(5) { change(&input, &random) }
        return input.count > Self.maximalLength ? Array(input.prefix(Self.maximalLength)) : input
    }

    private func change(_ input: inout [UInt8], _ random: inout SplitMix) {
        let index = random.below(input.count + 1)
        switch random.below(12) {
        case 0 where !input.isEmpty: input[index % input.count] ^= 1 << UInt8(random.below(8))
        case 1 where !input.isEmpty: input[index % input.count] = UInt8(random.below(256))
        case 2: input.insert(UInt8(random.below(256)), at: index)
        case 3: input.insert(contentsOf: Self.odd[random.below(Self.odd.count)], at: index)
        case 4: input.removeSubrange(index..<min(input.count, index + 1 + random.below(8)))
        case 5: input.removeSubrange(index..<min(input.count, index + random.below(input.count + 1)))
        case 6:
            let end = min(input.count, index + 1 + random.below(24)), part = input[index..<end]
            guard input.count < Self.maximalLength else { return }
            for _ in 0...random.below(random.chance(3) ? 200 : 3) {
                input.insert(contentsOf: part, at: index)
            }
        case 7:
            let other = corpus[random.below(corpus.count)], from = random.below(other.count + 1)
            input.replaceSubrange(index..., with: other[from...])
        case 8:
            let other = corpus[random.below(corpus.count)], from = random.below(other.count + 1)
            input.insert(contentsOf: other[from..<min(other.count, from + 1 + random.below(32))], at: index)
        case 9: changeNumber(&input, from: index, &random)
        default:
            guard !words.isEmpty else { return input.insert(UInt8(0x20 + random.below(0x5F)), at: index) }
            let word = words[random.below(words.count)]
            let end = random.chance(50) ? index : min(input.count, index + word.count)
            input.replaceSubrange(index..<end, with: word)
        }
    }

    /// Replaces the next number in the input by one at the limit of a type or a range.
    private func changeNumber(_ input: inout [UInt8], from index: Int, _ random: inout SplitMix) {
        guard let start = input[index...].firstIndex(where: Self.isDigit) else { return }
        let end = input[start...].firstIndex { !Self.isDigit($0) } ?? input.count
        input.replaceSubrange(start..<end, with: Self.numbers[random.below(Self.numbers.count)])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static let numbers = [
        "0", "1", "00", "9", "31", "60", "255", "256", "2147483648", "4294967296", "9007199254740993",
        "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e309",
        "99999999999999999999999999",
    ].map { Array($0.utf8) }

    /// Bytes and texts that parsers often handle wrongly: invalid or incomplete UTF-8, control characters, combining
    /// marks, wide characters, right-to-left override.
    private static let odd: [[UInt8]] =
        [
            [0], [0xFF], [0xC3], [0xE2, 0x80], [0xF0, 0x9F, 0x98], [0xC0, 0x80], [0xED, 0xA0, 0x80],
            [0x1B, 0x5B, 0x32, 0x4A],
        ]
        + [
            "\u{301}", "\u{202E}", "\u{200D}", "\u{FE0F}", "\u{1F600}", "\u{85}", "\u{2028}", "\r\n",
            "\u{7F}", "ß", "İ", "ﬁ",
        ]
        .map { Array($0.utf8) }
}
