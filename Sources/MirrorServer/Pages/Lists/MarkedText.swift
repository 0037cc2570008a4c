import MirrorStore

/// A text in which the words of a search are marked.
struct MarkedText {
    /// At most this number of words is marked: a search for single letters would mark every word.
    private static let mostMarks = 8

    private let parts: [(text: Substring, isMarked: Bool)]

    /// - Parameter words: default: nothing is marked.
    init(_ text: String, _ words: SearchWords? = nil) {
        guard let words else {
            parts = [(text[...], false)]
            return
        }
        var parts: [(text: Substring, isMarked: Bool)] = [], end = text.startIndex
        for mark in words.marks(in: text).prefix(Self.mostMarks) where mark.lowerBound >= end {
            if mark.lowerBound > end { parts.append((text[end..<mark.lowerBound], false)) }
            parts.append((text[mark], true))
            end = mark.upperBound
        }
        if end < text.endIndex { parts.append((text[end...], false)) }
        self.parts = parts
    }

    var shown: Shown {
        [
            "parts": .many(
                parts.map { ["text": .string(String($0.text)), "isMarked": .flag($0.isMarked)] })
        ]
    }
}
