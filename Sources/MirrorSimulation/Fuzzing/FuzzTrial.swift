import MirrorSync

/// Inputs of one door, one after the other.
package struct FuzzTrial: Sendable {
    package let door: FuzzDoor
    package let seed: UInt64
    private let mutator: FuzzMutator

    /// An input with which a promise was broken.
    package struct Failure: Sendable, Hashable, Codable {
        package let door: String
        package let seed: UInt64
        package let number: UInt64
        package let sentence: String
        /// As short as it could be made with something still wrong.
        package let input: [UInt8]

        package init(door: String, seed: UInt64, number: UInt64, sentence: String, input: [UInt8]) {
            self.door = door
            self.seed = seed
            self.number = number
            self.sentence = sentence
            self.input = input
        }
    }

    /// - Parameter lines: of catalogues, of which the door makes inputs.
    package init(_ door: FuzzDoor, seed: UInt64, lines: [[UInt8]] = []) {
        self.door = door
        self.seed = seed
        let corpus = door.seeds + (door.input.map { lines.flatMap($0) } ?? [])
        mutator = FuzzMutator(corpus: corpus, words: door.words)
    }

    package func input(_ number: UInt64) -> [UInt8] { mutator.input(number, seed: seed) }

    /// - Parameter number: of the input.
    /// - Returns: what was wrong, if anything was.
    package func run(_ number: UInt64) -> Failure? {
        let input = input(number)
        guard let finding = finding(input) else { return nil }
        let (shortest, sentence) = shorter(input, finding)
        return Failure(door: door.name, seed: seed, number: number, sentence: sentence, input: shortest)
    }

    private func finding(_ input: [UInt8]) -> String? {
        do {
            try door.enter(input)
            return nil
        } catch {
            return error.sentence
        }
    }

    /// Takes parts out for as long as something is still wrong: halves first, single bytes last.
    private func shorter(_ input: [UInt8], _ sentence: String) -> ([UInt8], String) {
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

/// How an input is shown: what can be seen as it is, the rest as escapes.
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
