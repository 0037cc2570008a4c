import Yams

/// A node of a description with its name and its place, for errors.
struct DescriptionNode {
    let node: Node
    let file: DescriptionFile
    /// The node's name in messages, such as `artworks.list.get`; empty for the whole description.
    let path: String

    var position: SourcePosition { node.mark.map(SourcePosition.init) ?? SourcePosition(line: 1, column: 1) }

    /// An error at this node.
    func failure(_ message: String) -> SourceDescriptionError { file.failure(message, at: position) }

    /// The text of any scalar: also of numbers, which need no quotes.
    ///
    /// - Throws: ``SourceDescriptionError`` for an empty value, control characters, and anything but a scalar.
    func scalar() throws(SourceDescriptionError) -> String {
        guard case .scalar(let scalar) = node else {
            throw failure("\(path) must be a text, not a list or a mapping.")
        }
        let isNull = scalar.style == .plain && ["~", "null"].contains(scalar.string)
        guard !isNull, scalar.string.contains(where: { !$0.isWhitespace }) else {
            throw failure("\(path) has no value. Write it behind the colon, or remove the key.")
        }
        if let control = scalar.string.unicodeScalars.first(where: {
            $0.isControl && $0 != "\n" && $0 != "\t"
        }) {
            throw failure("\(path) contains the control character \(control.codePoint). Remove it.")
        }
        return scalar.string
    }

    /// A text of one line.
    ///
    /// - Parameter limit: the maximum number of characters. Default: 1,000.
    func text(limit: Int = 1_000) throws(SourceDescriptionError) -> String {
        let text = try scalar()
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            throw failure("\(path) must be one line without tabs.")
        }
        guard text.count <= limit else {
            throw failure("\(path) is longer than \(limit) characters. Shorten it.")
        }
        return text
    }

    /// A text of a certain form.
    ///
    /// - Parameter form: what it must be, behind "must be".
    func text(_ form: String, where isValid: (String) -> Bool) throws(SourceDescriptionError) -> String {
        let text = try text()
        guard isValid(text) else { throw failure("\(path) must be \(form), but it is \(text.quoted).") }
        return text
    }

    /// A whole number in a range.
    func integer(_ range: ClosedRange<Int>) throws(SourceDescriptionError) -> Int {
        let text = try text()
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = Int(text),
            range.contains(number)
        else {
            throw failure(
                "\(path) must be a whole number from \(range.lowerBound) to \(range.upperBound), but it is \(text.quoted)."
            )
        }
        return number
    }

    /// One of a few words.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of: Choice.Type, later: [String] = []
    ) throws(SourceDescriptionError) -> Choice {
        let text = try text()
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue), list = choices.alternatives
        if later.contains(text) {
            throw failure(
                "\(path) can't be \(text) in this version; \(later.enumeration) come in a later version. Use \(list)."
            )
        }
        let suggestion = NearestName(of: text, in: choices).suggestion ?? "Use \(list)."
        throw failure("\(path) can't be \(text.quoted). \(suggestion)")
    }

    /// The only value of a key that says something by being there.
    func only(_ value: String) throws(SourceDescriptionError) {
        let text = try text()
        guard text == value else {
            throw failure("\(path) can only be \(value), but it is \(text.quoted). Otherwise remove the key.")
        }
    }

    /// A time such as `90s`, `2m`, `1h` or `2d`, of at most ten years.
    func duration() throws(SourceDescriptionError) -> Duration {
        let text = try text()
        let seconds = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][String(text.suffix(1))]
        let digits = text.dropLast()
        guard let seconds, (1...9).contains(digits.utf8.count),
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let number = Int(digits),
            (1...3_650 * 86_400).contains(number * seconds)
        else {
            throw failure(
                "\(path) must be a number of seconds, minutes, hours or days, such as 90s, 2m, 1h or 2d, but it is \(text.quoted)."
            )
        }
        return .seconds(number * seconds)
    }

    /// The elements of a list. A single scalar isn't a list of one.
    func elements() throws(SourceDescriptionError) -> [DescriptionNode] {
        guard case .sequence(let sequence) = node else {
            throw failure("\(path) must be a list: [in, brackets], or one line with a hyphen for each entry.")
        }
        return sequence.map { DescriptionNode(node: $0, file: file, path: path) }
    }
}

extension Unicode.Scalar {
    /// Whether the character is a control character or a line separator.
    var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Array where Element == String {
    /// `a, b and c`
    var enumeration: String { joined(before: "and") }

    /// `a, b or c`
    var alternatives: String { joined(before: "or") }

    private func joined(before conjunction: String) -> String {
        count < 2 ? first ?? "" : "\(dropLast().joined(separator: ", ")) \(conjunction) \(self[count - 1])"
    }
}
