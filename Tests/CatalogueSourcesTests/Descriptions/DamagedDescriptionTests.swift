import CatalogueSources
import Testing

@Suite struct DamagedDescriptionTests {
    private let met = Array(MetDescription.text.utf8)

    @Test(arguments: 1...40) func damagedBytesAreADescriptionOrAnError(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<10 {
            var bytes = met
            for _ in 0...Int.random(in: 0..<4, using: &random) { damage(&bytes, &random) }
            read(bytes)
        }
    }

    @Test func aDescriptionThatBreaksOffIsADescriptionOrAnError() {
        for count in stride(from: 0, to: met.count, by: 19) { read(Array(met.prefix(count))) }
    }

    @Test(arguments: 1...20) func exchangedLinesAreADescriptionOrAnError(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<10 {
            var lines = met.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for _ in 0..<3 {
                let line = Int.random(in: lines.indices, using: &random),
                    other = Int.random(in: lines.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: lines.swapAt(line, other)
                case 1: lines.remove(at: line)
                case 2: lines.insert(lines[other], at: line)
                default: lines[line] = [UInt8(ascii: " "), UInt8(ascii: " ")] + lines[line]
                }
            }
            read(Array(lines.joined(separator: [UInt8(ascii: "\n")])))
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        let place = Int.random(in: bytes.indices, using: &random)
        let tokens = [
            "&a ", "*a ", "!a ", "|", ">", "'", "\"", "{", "}", "[", "]", ": ", "- ", "? ", "\n", "\t", "#",
            "%", "\\", "\u{0}", "é",
            "\u{FEFF}", "---\n", "  ", "WHERE", "{id}",
        ]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: tokens.randomElement(using: &random)!.utf8, at: place)
        case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...60, using: &random)))
        default:
            let end = min(bytes.count, place + Int.random(in: 1...60, using: &random))
            bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: bytes.indices, using: &random))
        }
    }

    /// An error says something, and names a place that the file has.
    private func read(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let description = try SourceDescription(yaml: text, file: "met.yaml")
            #expect(!description.id.isEmpty && description.kinds.contains { $0.list != nil })
        } catch {
            #expect(error.file == "met.yaml" && [".", "?"].contains(error.message.suffix(1)), "\(error)")
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            if let position = error.position {
                #expect((1...lines.count).contains(position.line) && position.column >= 1, "\(error)")
                #expect(position.column <= lines[position.line - 1].unicodeScalars.count + 1, "\(error)")
            } else {
                #expect(error.message.hasPrefix("The file"), "\(error)")
            }
        }
    }
}
