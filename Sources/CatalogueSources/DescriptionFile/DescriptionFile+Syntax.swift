import Yams

/// Errors of YAML's syntax, in words for people who write YAML rarely.
extension DescriptionFile {
    /// What was wrong with a text that Yams refused.
    func failure(of error: any Error) -> SourceDescriptionError {
        switch error as? YamlError {
        case .scanner(let context?, let problem, _, _) where Self.refersToStart(problem):
            let position = SourcePosition(context.mark)
            return failure(message(problem, at: position), at: position)
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            // The parser may see the end of the file behind its last line.
            let line = min(mark.line, max(lines.count, 1))
            let position = SourcePosition(line: line, column: line == mark.line ? mark.column : 1)
            return failure(message(problem, at: position), at: position)
        case .duplicatedKeysInMapping(let keys, let context):
            return failure(
                "The key \((keys.first ?? "").quoted) is written twice in the same mapping; this is the first. Remove one of them.",
                at: SourcePosition(context.mark))
        default: return failure("The file is not valid YAML. Check that it is the right file.", at: nil)
        }
    }

    /// Whether the error's place is where the quotation or key begins, and not where the parser gave up.
    private static func refersToStart(_ problem: String) -> Bool {
        [
            "found unexpected end of stream", "found unexpected document indicator",
            "could not find expected ':'",
        ]
        .contains(problem)
    }

    private func message(_ problem: String, at position: SourcePosition) -> String {
        if character(at: position) == "\t" {
            return "This is not valid YAML: a tab can't be used for indentation. Use spaces."
        }
        for (start, message) in Self.messages where problem.hasPrefix(start) { return message }
        return
            "This is not valid YAML: \(problem). Put the value in quotes, or write it as a block behind a vertical bar."
    }

    /// How the parser's message begins, and the text that replaces it.
    private static let messages: KeyValuePairs = [
        "found undefined alias": noAnchors,
        "but found another document":
            "A description is one YAML document, but a second one begins here. Remove it.",
        "Maximum nesting level":
            "This is nested too deeply. No key of a description needs more than five levels.",
        "mapping values are not allowed":
            "This is not valid YAML: there is a second colon in the line, or the line is indented too far. If the colon belongs to the value, put the value in quotes, or write it as a block behind a vertical bar.",
        "could not find expected ':'":
            "This is not valid YAML: a line has no colon. Write \"key: value\", and indent the lines of a long value.",
        "found unexpected end of stream":
            "This is not valid YAML: the quotation that begins here is not closed.",
        "found unexpected document indicator":
            "This is not valid YAML: the quotation that begins here is not closed.",
        "found character that cannot start any token":
            "This is not valid YAML: a value can't begin with this character. Put the value in quotes.",
        "did not find expected ',' or ']'":
            "This is not valid YAML: a list in brackets needs commas and a closing bracket.",
        "did not find expected ',' or '}'":
            "This is not valid YAML: a mapping in braces needs commas and a closing brace.",
        "did not find expected key":
            "This is not valid YAML: the line doesn't fit the lines before. Check its indentation, and put a value that begins with a quotation mark in quotes as a whole.",
        "did not find expected '-' indicator":
            "This is not valid YAML: an entry of the list begins without a hyphen. Check the indentation.",
    ]
}
