/// Puts the name of a person that is filed under the family name into the order in which it is read.
///
/// ```
/// Maker, Ada                      Ada Maker
/// Reynolds, Samuel, the elder     Samuel Reynolds the elder
/// Moore, Henry, OM, CH            Henry Moore, OM, CH
/// Ada Maker                       Ada Maker
/// Williams, Trebilcock, Whitehead Williams, Trebilcock, Whitehead
/// ```
/// A comma may also separate the names of a firm, or a place: those names are returned unchanged where they can be recognised.
enum ReadingOrder {
    static func readingOrder(of name: String) -> String {
        let parts = name.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed }
        guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty }), !isGroup(name, parts) else {
            return name.trimmed
        }
        // `Vereinigte Glaswerke, AG`
        guard !companies.contains(letters(parts[1])) else { return name.trimmed }
        let additions = parts.dropFirst(2)
        guard additions.allSatisfy(isAddition) else { return name.trimmed }
        let person = parts[1] + " " + parts[0]
        guard let first = additions.first else { return person }
        return isWords(first)
            ? person + " " + additions.joined(separator: ", ")
            : person + ", " + additions.joined(separator: ", ")
    }

    /// Whether the name names several people, or nobody known.
    private static func isGroup(_ name: String, _ parts: [String]) -> Bool {
        let words = name.lowercased().split { !$0.isLetter && $0 != "&" }
        return name.contains(";") || name.contains("&")
            || words.contains { ["and", "or", "unknown", "anonymous", "unidentified"].contains($0) }
    }

    /// `Jr.`, `II`, `OM`, `the elder`, `AG`: what stands after a name.
    private static func isAddition(_ part: String) -> Bool {
        isWords(part) || additions.contains(letters(part)) || companies.contains(letters(part))
    }

    private static let additions: Set<String> = [
        "jr", "sr", "ii", "iii", "iv", "om", "ch", "obe", "cbe", "mbe", "ra", "pra", "ara", "rsa", "md",
        "phd",
        "esq",
    ]

    private static let companies: Set<String> = ["inc", "ltd", "llc", "co", "ag", "gmbh", "sa", "plc", "kg"]

    private static func letters(_ part: String) -> String { part.lowercased().filter(\.isLetter) }

    private static func isWords(_ part: String) -> Bool {
        let lower = part.lowercased()
        return ["the ", "called ", "dit ", "der "].contains { lower.hasPrefix($0) }
    }
}
