/// The known name that somebody may have meant by an unknown one.
struct NearestName {
    /// `nil` if no name is near.
    let name: String?

    /// Finds the name with the fewest edits: one edit for names of up to four characters, two for longer ones.
    ///
    /// Ties go to the first name. Upper and lower case, `-` and `_` make no difference.
    init(of unknown: String, in names: some Sequence<String>) {
        // Longer texts are no misspelt names, and would take time.
        guard unknown.utf8.count <= 64 else {
            name = nil
            return
        }
        let folded = Self.folded(unknown)
        var nearest: (name: String, edits: Int)?
        for name in names {
            let edits = Self.edits(folded, Self.folded(name))
            guard edits <= (min(folded.count, name.count) <= 4 ? 1 : 2), edits < nearest?.edits ?? .max else {
                continue
            }
            nearest = (name, edits)
        }
        name = nearest?.name
    }

    /// `Did you mean "rows"?`
    var suggestion: String? { name.map { "Did you mean \"\($0)\"?" } }

    private static func folded(_ name: String) -> [Character] {
        name.lowercased().map { $0 == "-" ? "_" : $0 }
    }

    /// The number of insertions, deletions, replacements and exchanges of neighbours that turn one name into another.
    static func edits(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = [], previous = Array(0...right.count)
        for i in left.indices {
            var current = [i + 1]
            for j in right.indices {
                let replaced = previous[j] + (left[i] == right[j] ? 0 : 1)
                var edits = min(replaced, previous[j + 1] + 1, current[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    edits = min(edits, before[j - 1] + 1)
                }
                current.append(edits)
            }
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}

extension String {
    /// The text in quotation marks for a message: at most 60 characters, control characters and invisible ones as `U+001B`.
    var quoted: String { "\"\(shortened)\"" }

    /// The text without quotation marks, otherwise as ``quoted``.
    var shortened: String {
        var result = "", count = 0
        for scalar in unicodeScalars {
            guard count < 60 else { return result + "…" }
            count += 1
            if scalar.isControl || scalar.properties.generalCategory == .format {
                result += "<\(scalar.codePoint)>"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
