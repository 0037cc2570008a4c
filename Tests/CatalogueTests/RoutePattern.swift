@testable import Catalogue

/// The shape of a path, such as `/partner/:partner/show/:show/artworks`.
struct RoutePattern {
    private enum Part {
        case word(String)
        case value
    }

    let template: String
    private let parts: [Part]

    /// - Parameter template: the segments; a segment that begins with a colon matches any value.
    init(_ template: String) {
        self.template = template
        parts = template.split(separator: "/").map { $0.hasPrefix(":") ? .value : .word(String($0)) }
    }

    /// The values of the colon segments in their order; `nil` if the segments don't match.
    func match(_ segments: some Collection<String>) -> [String]? {
        guard segments.count == parts.count else { return nil }
        var values: [String] = []
        for (part, segment) in zip(parts, segments) {
            switch part {
            case .word(let word): if !UTF8Order.equal(word, segment) { return nil }
            case .value: values.append(segment)
            }
        }
        return values
    }
}
