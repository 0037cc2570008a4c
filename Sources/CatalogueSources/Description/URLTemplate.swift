import Catalogue

/// A URL with placeholders, such as `/objects/{id}`.
///
/// Literal text is percent-encoded already; a literal brace is `%7B` or `%7D`. Values are percent-encoded when they are filled
/// in, so that nothing in an id can change the path or the query.
package struct URLTemplate: Sendable, Hashable {
    /// What may stand in braces.
    package enum Placeholder: String, Sendable, Hashable, CaseIterable {
        case id, ids, value, page, offset, size
        case sinceDate = "since:date"
        case sinceInstant = "since:instant"
    }

    /// A piece of a template.
    package enum Piece: Sendable, Hashable {
        case literal(String)
        case placeholder(Placeholder)
    }

    package let text: String
    package let pieces: [Piece]

    /// Parses a template.
    ///
    /// - Throws: ``Failure`` with a sentence, for an unknown placeholder or an unclosed brace.
    package init(_ text: String) throws(Failure) {
        var pieces: [Piece] = [], rest = Substring(text)
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw Failure(message: "A brace has no partner. Write a literal brace as %7B or %7D.")
            }
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            let name = String(rest[rest.index(after: open)..<close])
            guard let placeholder = Placeholder(rawValue: name) else {
                let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Failure(message: "There is no placeholder {\(name.shortened)}. Use one of \(known).")
            }
            pieces.append(.placeholder(placeholder))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        self.text = text
        self.pieces = pieces
    }

    /// What is wrong with a template, as one sentence that says what to do.
    package struct Failure: Error, Sendable, Hashable { package let message: String }

    /// The placeholders in it.
    package var placeholders: Set<Placeholder> {
        Set(
            pieces.compactMap { piece in
                if case .placeholder(let placeholder) = piece { placeholder } else { nil }
            })
    }

    /// The URL with values filled in. Every placeholder needs a value; ids in `ids` are joined by commas.
    package func filled(_ values: [Placeholder: String]) -> String {
        pieces.map { piece in
            switch piece {
            case .literal(let text): text
            case .placeholder(.ids): values[.ids] ?? ""
            case .placeholder(let placeholder): PercentEncoding.encode(values[placeholder] ?? "")
            }
        }.joined()
    }

    /// The value of `{ids}`: percent-encoded ids, joined by commas.
    package static func joined(_ ids: [String]) -> String {
        ids.map(PercentEncoding.encode).joined(separator: ",")
    }
}
