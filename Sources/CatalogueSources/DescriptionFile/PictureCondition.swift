/// Finds out whether a query of pictures has a condition.
///
/// Pictures are fetched only where their licence permits it, so `images` states the condition in SQL: each SELECT of a compound
/// query needs a WHERE of its own. Only words are looked at: what the condition says is up to the description's author.
struct PictureCondition {
    /// Whether each SELECT of the compound query has a WHERE. Words in parentheses, strings, quoted names and comments don't count.
    let isComplete: Bool

    init(_ sql: String) {
        var words = SQLWords(sql), isComplete = true, hasSelect = false, hasWhere = false
        while let word = words.next() {
            switch word {
            case "SELECT": hasSelect = true
            case "WHERE": hasWhere = hasSelect
            case "UNION", "INTERSECT", "EXCEPT":
                isComplete = isComplete && hasWhere
                (hasSelect, hasWhere) = (false, false)
            default: break
            }
        }
        self.isComplete = isComplete && hasWhere
    }
}

/// The keywords and names of a query, in upper case, without those in parentheses, strings, quoted names, comments and parameters.
private struct SQLWords: IteratorProtocol {
    private var rest: Substring.UTF8View
    private var depth = 0

    init(_ sql: String) { rest = Substring(sql).utf8 }

    mutating func next() -> String? {
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(behind: [byte])
            // A doubled quotation mark inside a string ends it and begins the next.
            case UInt8(ascii: "["): skip(behind: [UInt8(ascii: "]")])
            case UInt8(ascii: "-") where rest.starts(with: "--".utf8): skip(behind: [UInt8(ascii: "\n")])
            case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
                rest.removeFirst()
                skip(behind: Array("*/".utf8))
            case UInt8(ascii: "("):
                depth += 1
                rest.removeFirst()
            case UInt8(ascii: ")"):
                depth -= 1
                rest.removeFirst()
            case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
                rest.removeFirst()
                _ = word()
            case _ where Self.isPartOfWord(byte):
                let word = word()
                if depth == 0 { return word }
            default: rest.removeFirst()
            }
        }
        return nil
    }

    private mutating func word() -> String {
        let word = rest.prefix(while: Self.isPartOfWord)
        rest = rest[word.endIndex...]
        return String(decoding: word, as: UTF8.self).uppercased()
    }

    /// Skips the next byte and all up to the end of a mark, or of the query.
    private mutating func skip(behind mark: [UInt8]) {
        rest.removeFirst()
        while !rest.isEmpty {
            if rest.starts(with: mark) {
                rest = rest.dropFirst(mark.count)
                return
            }
            rest.removeFirst()
        }
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
