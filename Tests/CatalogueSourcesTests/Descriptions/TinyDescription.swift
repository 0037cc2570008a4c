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
