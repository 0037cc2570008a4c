/// Gathers the pieces of a text on dimensions to parts of an artwork and their lengths.
struct DimensionTextReader {
    private let tokens: [DimensionToken]
    private var index = 0
    private var result: [MeasuredPart] = []
    /// Words that belong to the next lengths, or to the last, if none follow.
    private var words: [String] = []
    /// Sides whose lengths follow.
    private var sides: [Side] = []
    /// Whether the next number belongs to the last group.
    private var isJoined = false
    /// Whether the last group may be continued.
    private var isOpen = false

    init(_ tokens: [DimensionToken]) { self.tokens = tokens }

    /// The parts, in the order of the text.
    mutating func parts() -> [MeasuredPart] {
        while index < tokens.count {
            let token = tokens[index]
            index += 1
            read(token)
        }
        endPart()
        return result
    }

    private mutating func read(_ token: DimensionToken) {
        switch token {
        case .number(let value): readNumber(value)
        case .unit(let unit): setUnit(unit)
        case .times: isJoined = isOpen
        case .side(let side): readSide(side)
        case .word(let word):
            // A remark on the next length: `× D excluding cradle: 1 cm`.
            if isJoined { break }
            words.append(word)
            isOpen = false
        case .open: if !readNote() { (isOpen, isJoined) = (false, false) }
        case .close: (isOpen, isJoined) = (false, false)
        case .comma: isJoined = false
        case .separator: endPart()
        }
    }

    private mutating func endPart() {
        if !result.isEmpty, !words.isEmpty, result[result.count - 1].words.isEmpty {
            result[result.count - 1].words = words
        }
        if !result.isEmpty { result[result.count - 1].isNamedBehind = true }
        (words, sides, isOpen, isJoined) = ([], [], false, false)
    }

    // MARK: Lengths

    private mutating func readNumber(_ value: Double) {
        let side = sides.count == 1 ? sides.removeFirst() : nil
        // `6' 5 5/8"` is one length.
        if isOpen, !isJoined, side == nil, let group = result.last?.groups.last, group.units.last == .foot,
            index < tokens.count, tokens[index] == .unit(.inch)
        {
            index += 1
            return change { group in
                group.values[group.values.count - 1] = group.values[group.values.count - 1] * 12 + value
                group.units[group.units.count - 1] = .inch
            }
        }
        if isOpen, isJoined || side != nil {
            change { group in
                group.values.append(value)
                group.units.append(nil)
                group.sides.append(side)
            }
        } else {
            let isNewPart = result.isEmpty || !words.isEmpty || result[result.count - 1].isNamedBehind
            if isNewPart {
                result.append(MeasuredPart(words: words))
                words = []
            }
            let named: [Side?] = side.map { [$0] } ?? [nil]
            result[result.count - 1].groups.append(MeasureGroup(values: [value], units: [nil], sides: named))
            if sides.count > 1 { result[result.count - 1].sidesBehind = sides }
            sides = []
        }
        (isOpen, isJoined) = (true, false)
    }

    private mutating func change(_ body: (inout MeasureGroup) -> Void) {
        guard let part = result.indices.last, let group = result[part].groups.indices.last else { return }
        body(&result[part].groups[group])
    }

    private mutating func setUnit(_ unit: LengthUnit) {
        change { group in
            guard let last = group.units.indices.last, group.units[last] == nil else { return }
            group.units[last] = unit
        }
    }

    /// A side belongs to the number that follows, or else to the one before: `H: 10 cm`, `10 cm high`.
    private mutating func readSide(_ side: Side) {
        if isJoined { return sides.append(side) }
        var next = index
        while next < tokens.count, tokens[next] == .comma { next += 1 }
        if next < tokens.count, isStartOfLength(tokens[next]) || !isOpen {
            sides.append(side)
            return
        }
        var isUsed = false
        change { group in
            guard let last = group.sides.indices.last, group.sides[last] == nil else { return }
            group.sides[last] = side
            isUsed = true
        }
        if !isUsed { sides.append(side) }
    }

    private func isStartOfLength(_ token: DimensionToken) -> Bool {
        if case .number = token { return true }
        return false
    }

    // MARK: Remarks in parentheses

    /// Reads a parenthesis without numbers behind lengths: `(h. x diam.)` or `(sheet)`. Whether it was one.
    private mutating func readNote() -> Bool {
        guard !result.isEmpty, words.isEmpty, sides.isEmpty, let end = tokens[index...].firstIndex(of: .close)
        else { return false }
        var named: [Side] = [], remark: [String] = []
        for token in tokens[index..<end] {
            switch token {
            case .side(let side): named.append(side)
            case .word(let word): remark.append(word)
            case .times, .comma: break
            default: return false
            }
        }
        index = end + 1
        let last = result.count - 1
        if remark.isEmpty {
            if !named.isEmpty, !result[last].isNamedBehind { result[last].sidesBehind = named }
        } else {
            if result[last].words.isEmpty { result[last].words = remark }
            result[last].isNamedBehind = true
        }
        return true
    }
}
