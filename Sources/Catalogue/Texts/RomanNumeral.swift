/// Numbers in Roman numerals.
enum RomanNumeral {
    private static let symbols: [(value: Int, text: String)] = [
        (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
        (10, "x"), (9, "ix"),
        (5, "v"), (4, "iv"), (1, "i"),
    ]

    /// The number in a word in lower case; `nil` unless it is written in the usual way.
    ///
    /// A word that contains other letters than `i`, `v` and `x` must have four letters, because `c`, `d`, `m` and `mix` mean
    /// something else in a date.
    static func value(of word: String) -> Int? {
        let bytes = word.utf8
        guard (1...15).contains(bytes.count) else { return nil }
        let isSmall = bytes.allSatisfy {
            $0 == UInt8(ascii: "i") || $0 == UInt8(ascii: "v") || $0 == UInt8(ascii: "x")
        }
        guard isSmall || bytes.count >= 4 else { return nil }
        var rest = Substring(word), value = 0
        for symbol in symbols {
            while rest.hasPrefix(symbol.text) {
                rest = rest.dropFirst(symbol.text.count)
                value += symbol.value
            }
        }
        guard rest.isEmpty, text(of: value) == word else { return nil }
        return value
    }

    private static func text(of value: Int) -> String {
        var rest = value, text = ""
        for symbol in symbols {
            while rest >= symbol.value {
                text += symbol.text
                rest -= symbol.value
            }
        }
        return text
    }
}
