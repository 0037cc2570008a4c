import Catalogue

extension Request.Target {
    /// With query items added, percent-encoded; the whole query is then sorted by name, as canonical URLs have it.
    package func adding(_ parameters: [(name: String, value: String)]) -> Request.Target {
        guard !parameters.isEmpty else { return self }
        switch self {
        case .relative(let text): return .relative(Self.text(text, adding: parameters))
        case .beside(let text): return .beside(Self.text(text, adding: parameters))
        case .absolute(let text): return .absolute(Self.text(text, adding: parameters))
        }
    }

    private static func text(_ text: String, adding parameters: [(name: String, value: String)]) -> String {
        let path = text.prefix { $0 != "?" }
        var items = text.dropFirst(path.count + 1).split(separator: "&").map(String.init)
        for (name, value) in parameters {
            items.append(FormBody.encode([NameValue(name, value)]))
        }
        // A stable sort: items of one name keep their order.
        let sorted = items.enumerated().sorted { a, b in
            let x = a.element.prefix { $0 != "=" }
            let y = b.element.prefix { $0 != "=" }
            return x == y ? a.offset < b.offset : x < y
        }
        return "\(path)?\(sorted.map(\.element).joined(separator: "&"))"
    }
}
