/// Estimates how often SQLite copies the tables of a query's WITH clause.
///
/// SQLite copies the definition of such a table for each of its uses, before anything can interrupt it. Thirty tables that use
/// the one before twice are a short text and a billion copies.
enum QueryExpansion {
    private static let maximum = 1000

    /// Whether the number of copies may exceed 1,000.
    ///
    /// A table is copied at most as often as the product of all tables' numbers of uses says, because each use is inside a copy
    /// of another table.
    static func isTooLarge(_ sql: String) -> Bool {
        let tokens = SQLTokens.read(sql)
        var uses: [String: Int] = [:]
        for (index, token) in tokens.enumerated() {
            // `t.id` names a column.
            let isTable = index + 1 == tokens.count || tokens[index + 1] != .symbol(UInt8(ascii: "."))
            if isTable, case .name(let name) = token { uses[name, default: 0] += 1 }
        }
        var copies = 1
        for name in definedTables(tokens) {
            // One of the uses is the definition.
            copies *= max(1, (uses[name] ?? 0) - 1)
            if copies > maximum { return true }
        }
        return false
    }

    /// The names before `AS (`, `AS MATERIALIZED (` and `AS NOT MATERIALIZED (`, with or without columns in parentheses.
    private static func definedTables(_ tokens: [SQLTokens.Token]) -> Set<String> {
        var names: Set<String> = []
        for index in tokens.indices where tokens[index] == .name("as") && index > 0 {
            var next = index + 1
            while next < tokens.count, tokens[next] == .name("not") || tokens[next] == .name("materialized") {
                next += 1
            }
            guard next < tokens.count, tokens[next] == .symbol(UInt8(ascii: "(")) else { continue }
            var before = index - 1
            if tokens[before] == .symbol(UInt8(ascii: ")")) {
                while before > 0, tokens[before] != .symbol(UInt8(ascii: "(")) { before -= 1 }
                before -= 1
            }
            if before >= 0, case .name(let name) = tokens[before] { names.insert(name) }
        }
        return names
    }
}

/// Divides SQL into names and symbols, without white space and comments.
enum SQLTokens {
    enum Token: Hashable {
        /// A word, a number, or a text in any kind of quotes, which SQLite may take for a name; ASCII letters in lower case.
        case name(String)
        case symbol(UInt8)
    }

    static func read(_ sql: String) -> [Token] {
        let bytes = Array(sql.utf8)
        var tokens: [Token] = [], index = 0
        func byte(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
        func skip(to end: [UInt8]) {
            while index < bytes.count, !bytes[index...].starts(with: end) { index += 1 }
            index += end.count
        }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: " "), 0x09...0x0D: index += 1
            case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"): skip(to: [0x0A])
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                index += 2
                skip(to: Array("*/".utf8))
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                let close = bytes[index] == UInt8(ascii: "[") ? UInt8(ascii: "]") : bytes[index]
                index += 1
                var text: [UInt8] = []
                while index < bytes.count {
                    if bytes[index] == close {
                        // A doubled quotation mark stands for one.
                        guard byte(1) == close, close != UInt8(ascii: "]") else { break }
                        index += 1
                    }
                    text.append(bytes[index])
                    index += 1
                }
                index += 1
                tokens.append(.name(lowercased(text)))
            case let first where isWord(first):
                let start = index
                while index < bytes.count, isWord(bytes[index]) { index += 1 }
                tokens.append(.name(lowercased(bytes[start..<index])))
            case let symbol:
                tokens.append(.symbol(symbol))
                index += 1
            }
        }
        return tokens
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }

    private static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        let lower = bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return String(decoding: lower, as: UTF8.self)
    }
}
