import Yams

extension DescriptionNode {
    /// An SQL query, with the place where its text begins. White space at its end is removed.
    ///
    /// Whether it compiles is checked by the reader.
    func query() throws(SourceDescriptionError) -> SourceQuery {
        let text = try scalar()
        guard case .scalar(let scalar) = node, let end = text.lastIndex(where: { !$0.isWhitespace }) else {
            throw failure("\(path) must be an SQL query.")
        }
        let sql = String(text[...end])
        guard scalar.style == .literal || scalar.style == .folded else {
            let isQuoted = scalar.style == .singleQuoted || scalar.style == .doubleQuoted
            let start = SourcePosition(line: position.line, column: position.column + (isQuoted ? 1 : 0))
            return SourceQuery(
                sql, at: start, isVerbatim: file.text(from: start).starts(with: sql.unicodeScalars))
        }
        // The indicator ends its line, and the text has an indentation of its own, which YAML removes. Lines without text may be
        // indented less.
        let lines = sql.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let first = lines.firstIndex { $0.contains { $0 != " " } } ?? 0
        let line = position.line + 1 + first
        let indentation = file.indentation(of: line) - lines[first].prefix { $0 == " " }.count
        return SourceQuery(
            sql, at: SourcePosition(line: position.line + 1, column: max(indentation, 0) + 1),
            isVerbatim: scalar.style == .literal)
    }
}

extension DescriptionFile {
    /// The rest of a line; empty behind its end.
    fileprivate func text(from position: SourcePosition) -> Substring.UnicodeScalarView {
        guard lines.indices.contains(position.line - 1) else { return Substring().unicodeScalars }
        return lines[position.line - 1].unicodeScalars.dropFirst(position.column - 1)
    }

    /// The number of spaces at the beginning of a line.
    fileprivate func indentation(of line: Int) -> Int {
        lines.indices.contains(line - 1) ? lines[line - 1].prefix { $0 == " " }.count : 0
    }
}

extension SourceQuery {
    /// The place of an error in the query.
    ///
    /// - Parameter offset: a number of bytes of ``sql``, as SQLite reports it.
    /// - Returns: the place where the query begins if the file has the text in another form, such as folded lines.
    package func position(at offset: Int) -> SourcePosition {
        guard isVerbatim, offset > 0 else { return position }
        let before = sql.utf8.prefix(offset)
        let newline = UInt8(ascii: "\n")
        let lineStart = before.lastIndex(of: newline).map(before.index(after:)) ?? before.startIndex
        let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count
        return SourcePosition(
            line: position.line + before.count { $0 == newline }, column: position.column + column)
    }
}
