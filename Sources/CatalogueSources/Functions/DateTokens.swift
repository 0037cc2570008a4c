/// Divides the text of a date into numbers, words and marks.
enum DateTokens {
    struct Token: Hashable {
        enum Kind: Hashable {
            /// Digits, also with commas between thousands: then `digits` is 5 at least.
            case number(Int, digits: Int)
            /// In lower case, without periods: `b.c.` is `bc`.
            case word(String)
            /// `-`, `/`, `'` or another.
            case mark(Character)
        }

        let kind: Kind
        /// Whether it follows the token before it without a space.
        let isAttached: Bool
        let isInParentheses: Bool

        var word: String? { if case .word(let word) = kind { word } else { nil } }
    }

    /// Reads at most the first 500 characters.
    static func read(_ text: String) -> [Token] {
        let characters = text.lowercased().prefix(500).map(plain)
        var tokens: [Token] = [], index = 0, depth = 0, isAttached = false
        func at(_ index: Int) -> Character { characters.indices.contains(index) ? characters[index] : " " }
        func add(_ kind: Token.Kind) {
            tokens.append(Token(kind: kind, isAttached: isAttached, isInParentheses: depth > 0))
            isAttached = true
        }
        while index < characters.count {
            let first = characters[index]
            if isDigit(first) {
                var digits = "", isGrouped = false
                while isDigit(at(index)) || isThousands(characters, at: index) {
                    if at(index) == "," { isGrouped = true } else { digits.append(characters[index]) }
                    index += 1
                }
                add(.number(Int(digits) ?? 0, digits: isGrouped ? max(5, digits.count) : digits.count))
            } else if first.isLetter {
                var word = ""
                while at(index).isLetter || at(index) == "." && at(index + 1).isLetter {
                    if at(index) != "." { word.append(characters[index]) }
                    index += 1
                }
                add(.word(word))
            } else {
                index += 1
                switch first {
                case "(", "[": depth += 1
                case ")", "]": depth = max(0, depth - 1)
                case ".": break
                case _ where first.isWhitespace: isAttached = false
                default: add(.mark(first))
                }
            }
        }
        return tokens
    }

    /// Whether there is a comma between thousands: three digits follow, and not a fourth.
    private static func isThousands(_ characters: [Character], at index: Int) -> Bool {
        guard characters.indices.contains(index), characters[index] == "," else { return false }
        let digits = characters[(index + 1)...].prefix(4).prefix(while: isDigit).count
        // At most three digits stand before it.
        let before = characters[..<index].suffix(4).reversed().prefix(while: isDigit).count
        return digits == 3 && (1...3).contains(before)
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    private static func plain(_ character: Character) -> Character {
        switch character {
        case "–", "—", "‒", "‐", "‑", "−": "-"
        case "’", "‘", "ʹ", "′": "'"
        default: character
        }
    }
}
