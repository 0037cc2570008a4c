import CatalogueSources

/// A small description for tests, of which parts are replaced.
enum TinyDescription {
    static let text = """
        source: tiny
        title: A Tiny Museum
        base: https://api.tiny.org/v1
        hosts: [images.tiny.org]
        rate: { requests: 1/s }
        artworks:
          list:
            form: page
            get: /works?page={page}&limit={size}&fields=all
            size: 100
            rows: SELECT value ->> 'id' AS id FROM json_each(:body)
          object:
            get: /works/{id}
            is: SELECT :body ->> 'id'
            row: SELECT :body ->> 'title' AS title

        """

    /// The text with one part replaced; the part must be in it.
    static func replacing(_ part: String, with other: String) -> String {
        precondition(text.contains(part), "The description has no \(part).")
        return text.replacing(part, with: other, maxReplacements: 1)
    }

    /// Reads the description with one part replaced.
    static func reading(_ part: String, with other: String) throws -> SourceDescription {
        try SourceDescription(yaml: replacing(part, with: other), file: "tiny.yaml")
    }

    /// The error of a text; `nil` if it is a description.
    static func error(of text: String) -> SourceDescriptionError? {
        do {
            _ = try SourceDescription(yaml: text, file: "tiny.yaml")
            return nil
        } catch {
            return error
        }
    }
}

/// A pseudo-random number generator with a seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
