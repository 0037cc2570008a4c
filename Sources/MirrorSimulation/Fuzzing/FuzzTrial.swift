import MirrorSync

/// Runs one target on numbered inputs.
package struct FuzzTrial: Sendable {
    package let target: FuzzTarget
    package let seed: UInt64
    private let mutator: FuzzMutator

    /// An input for which a property did not hold.
    package struct Failure: Sendable, Hashable, Codable {
        package let target: String
        package let seed: UInt64
        package let number: UInt64
        package let sentence: String
        /// The shortest input that was found for which some property does not hold.
        package let input: [UInt8]

        package init(target: String, seed: UInt64, number: UInt64, sentence: String, input: [UInt8]) {
            self.target = target
            self.seed = seed
            self.number = number
            self.sentence = sentence
            self.input = input
        }
    }

    /// - Parameter lines: lines of catalogues, from which the target makes inputs for its corpus.
    package init(_ target: FuzzTarget, seed: UInt64, lines: [[UInt8]] = []) {
        self.target = target
        self.seed = seed
        let corpus = target.seeds + (target.input.map { lines.flatMap($0) } ?? [])
        mutator = FuzzMutator(corpus: corpus, words: target.words)
    }

    package func input(_ number: UInt64) -> [UInt8] { mutator.input(number, seed: seed) }

    /// - Parameter number: the number of the input.
    /// - Returns: the failure; `nil` if all properties hold.
    package func run(_ number: UInt64) -> Failure? {
        let input = input(number)
        guard let finding = finding(input) else { return nil }
        let (shortest, sentence) = simplified(input, finding)
        return Failure(target: target.name, seed: seed, number: number, sentence: sentence, input: shortest)
    }

    private func finding(_ input: [UInt8]) -> String? {
        do {
            try target.check(input)
            return nil
        } catch {
            return error.sentence
        }
    }

    /// Shrinks an input: removes parts as long as a property still fails, halves first, single bytes last.
    private func simplified(_ input: [UInt8], _ sentence: String) -> ([UInt8], String) {
        var best = input, sentence = sentence, length = max(1, input.count / 2)
        while true {
            var start = 0, isShorter = false
            while start < best.count {
                var candidate = best
                candidate.removeSubrange(start..<min(best.count, start + length))
                if let found = finding(candidate) {
                    (best, sentence, isShorter) = (candidate, found, true)
                } else {
                    start += length
                }
            }
            if length > 1 { length /= 2 } else if !isShorter { return (best, sentence) }
        }
    }
}

/// Formats an input: printable ASCII as it is, all other bytes as escapes.
extension [UInt8] {
    package var fuzzText: String {
        map { byte in
            switch byte {
            case 0x5C: "\\\\"
            case 0x22: "\\\""
            case 0x20...0x7E: String(UnicodeScalar(byte))
            default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }
}
