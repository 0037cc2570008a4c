import Catalogue

/// A number of things as text: in words up to twelve, else in digits with commas.
struct CountText: Sendable, Equatable {
    private static let words = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ]

    let count: Int

    init(_ count: Int) { self.count = count }

    /// "ten", "13", "1,200"; "no" for 0.
    var words: String { Self.words.indices.contains(count) ? Self.words[count] : digits }

    /// `words` at the start of a sentence: "Ten".
    var capitalized: String { words.prefix(1).uppercased() + words.dropFirst() }

    /// "1 artwork", "1,200 artworks".
    func of(_ kind: Kind) -> String { "\(digits) \(count == 1 ? kind.name : kind.plural)" }

    /// "10", "1,200".
    var digits: String {
        let plain = String(count.magnitude)
        var text = ""
        for (index, digit) in plain.enumerated() {
            if index > 0, (plain.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return count < 0 ? "-" + text : text
    }
}
