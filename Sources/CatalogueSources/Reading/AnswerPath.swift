import Catalogue

/// A path in an answer, as SQLite writes them: `$.data`, `$.items[0]`, `$."a label"`, `$[#-1]`.
struct AnswerPath: Sendable, Hashable {
    private enum Step: Sendable, Hashable {
        case member(String)
        /// Counted from the start.
        case element(Int)
        /// Counted from the end: 1 is the last one.
        case lastElement(Int)
    }

    private let steps: [Step]

    /// Reads a path; `nil` if `text` isn't one.
    init?(_ text: String) {
        guard text.first == "$" else { return nil }
        var steps: [Step] = [], rest = text.dropFirst()
        while let sign = rest.first {
            rest = rest.dropFirst()
            switch sign {
            case "." where rest.first == "\"":
                guard let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
                steps.append(.member(String(rest[rest.index(after: rest.startIndex)..<end])))
                rest = rest[rest.index(after: end)...]
            case ".":
                let label = rest.prefix { $0 != "." && $0 != "[" }
                guard !label.isEmpty else { return nil }
                steps.append(.member(String(label)))
                rest = rest[label.endIndex...]
            case "[":
                guard let end = rest.firstIndex(of: "]"), let step = Self.element(rest[..<end]) else {
                    return nil
                }
                steps.append(step)
                rest = rest[rest.index(after: end)...]
            default: return nil
            }
        }
        self.steps = steps
    }

    private static func element(_ text: Substring) -> Step? {
        let isFromEnd = text.hasPrefix("#-"), digits = isFromEnd ? text.dropFirst(2) : text
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits)
        else {
            return nil
        }
        return isFromEnd ? .lastElement(number) : .element(number)
    }

    /// What stands there in an answer; `nil` if there is nothing.
    func value(in answer: JSONValue) -> JSONValue? {
        var value = answer
        for step in steps {
            let inner: JSONValue? =
                switch step {
                case .member(let key): value.objectValue?[key]
                case .element(let index):
                    value.arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                case .lastElement(let number):
                    value.arrayValue.flatMap { list in
                        list.indices.contains(list.count - number) ? list[list.count - number] : nil
                    }
                }
            guard let inner else { return nil }
            value = inner
        }
        return value
    }
}
