/// `instr`, `replace` and `trim` with characters, which take SQLite's place.
///
/// SQLite compares the sought text at each position. For two long texts this takes hours, and nothing interrupts it. Here the
/// time grows with the sum of their lengths.
enum TextSearch {
    /// The position of a text in characters (Unicode scalars), from 1; 0 if it isn't found.
    static func position(of sought: String, in text: String) -> Int {
        let bytes = Array(text.utf8)
        guard let offset = offsets(of: Array(sought.utf8), in: bytes, atMost: 1).first else { return 0 }
        // Each character has one byte that doesn't continue another.
        return bytes[..<offset].count { $0 & 0xC0 != 0x80 } + 1
    }

    /// The text with every occurrence of `sought` replaced, from left to right.
    ///
    /// - Throws: ``SourceFunction/ResultTooLong`` if the result is longer than a value may be.
    static func replacing(
        _ sought: String, in text: String, with replacement: String
    ) throws(SourceFunction.ResultTooLong) -> String {
        guard !sought.isEmpty else { return text }
        let bytes = Array(text.utf8), length = sought.utf8.count
        let offsets = offsets(of: Array(sought.utf8), in: bytes, atMost: .max)
        guard bytes.count + offsets.count * (replacement.utf8.count - length) <= SandboxLimits.maximum else {
            throw SourceFunction.ResultTooLong()
        }
        var result: [UInt8] = [], end = 0
        for offset in offsets {
            result += bytes[end..<offset]
            result += replacement.utf8
            end = offset + length
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// The text without any of `characters` at the chosen ends.
    static func trimmed(_ text: String, _ characters: String, start: Bool, end: Bool) -> String {
        let characters = Set(characters.unicodeScalars)
        var rest = text.unicodeScalars[...]
        if start { rest = rest.drop(while: characters.contains) }
        if end { while let last = rest.last, characters.contains(last) { rest.removeLast() } }
        return String(rest)
    }

    /// The offsets at which `sought` occurs, without overlaps, by the algorithm of Knuth, Morris and Pratt.
    private static func offsets(of sought: [UInt8], in text: [UInt8], atMost limit: Int) -> [Int] {
        guard !sought.isEmpty else { return [0] }
        // For each beginning of `sought`, the length of its longest proper beginning that is also its end.
        var borders = [0], border = 0
        for byte in sought.dropFirst() {
            while border > 0, sought[border] != byte { border = borders[border - 1] }
            if sought[border] == byte { border += 1 }
            borders.append(border)
        }
        var found: [Int] = [], matched = 0
        for (offset, byte) in text.enumerated() {
            while matched > 0, sought[matched] != byte { matched = borders[matched - 1] }
            if sought[matched] == byte { matched += 1 }
            guard matched == sought.count else { continue }
            found.append(offset + 1 - matched)
            if found.count == limit { return found }
            matched = 0
        }
        return found
    }
}
