import Catalogue

/// The words of a search, as FTS5 and marks need them.
package struct SearchWords: Sendable, Hashable {
    /// The words, each perhaps the beginning of a longer one. At most ``mostWords``.
    package let words: [String]

    /// The greatest number of words that are searched for, and of characters of one.
    package static let mostWords = 16
    private static let longestWord = 64
    /// How much of a text is read, in bytes.
    private static let readLimit = 2_048

    /// Splits a text at white space. Words without a letter or digit are left out.
    package init(_ text: String) {
        var found: [String] = []
        let head = String(decoding: text.utf8.prefix(Self.readLimit), as: UTF8.self)
        for word in head.split(whereSeparator: { $0.isWhitespace || $0 == "\0" })
        where word.contains(where: { $0.isLetter || $0.isNumber }) {
            let word = String(word.prefix(Self.longestWord))
            if !found.contains(word) { found.append(word) }
        }
        words = Array(found.prefix(Self.mostWords))
    }

    /// The columns of the index that people search: all of them, and those of titles and names.
    static let all = "title artist text", names = "title"

    /// The query for FTS5: all words in some columns. A word's punctuation separates the parts of a phrase.
    ///
    /// - Parameter isWhole: whether a word isn't found as the beginning of a longer one. Default: no.
    static func match(_ words: [String], in columns: String = all, isWhole: Bool = false) -> String {
        let phrases = words.map { "\"\($0.escaping("\"", as: " "))\"" + (isWhole ? "" : "*") }
        return "{\(columns)} : (\(phrases.joined(separator: " AND ")))"
    }

    // MARK: - Marks

    /// The parts of a text that a search for these words finds, in order: the words that begin with one of them.
    ///
    /// Only the beginning of a long text is marked.
    package func marks(in text: String) -> [Range<String.Index>] {
        let wanted = words.flatMap { Self.parts(of: $0[...]) }.compactMap { SortKey.folded(String($0)) }
        guard !wanted.isEmpty else { return [] }
        let end = text.index(text.startIndex, offsetBy: 2_000, limitedBy: text.endIndex) ?? text.endIndex
        return Self.parts(of: text[..<end]).compactMap { part in
            guard let key = SortKey.folded(String(part.prefix(100))),
                wanted.contains(where: { key.utf8.starts(with: $0.utf8) })
            else { return nil }
            return part.startIndex..<part.endIndex
        }
    }

    /// The runs of letters and digits in a text.
    private static func parts(of text: Substring) -> [Substring] {
        text.split { !($0.isLetter || $0.isNumber) }
    }
}
