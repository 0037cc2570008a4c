extension URLTemplate {
    /// The names of the query's items, as they are written.
    var queryNames: [String] { query.map { $0.prefix { $0 != "=" } }.map(String.init) }

    /// The template with query items that replace those of the same name. Items without a counterpart are added at the end.
    ///
    /// - Throws: ``Failure`` for a value that is no template, which a description that was read can't have.
    package func replacing(_ items: [ListDescription.QueryItem]) throws(Failure) -> URLTemplate {
        try URLTemplate(text(replacing: items))
    }

    /// The text of the template with other query items (``replacing(_:)``).
    func text(replacing items: [ListDescription.QueryItem]) -> String {
        guard !items.isEmpty else { return text }
        var rest = items, query: [String] = []
        for item in self.query {
            let name = item.prefix { $0 != "=" }
            guard items.contains(where: { $0.name == name }) else {
                query.append(String(item))
                continue
            }
            // The first item of a name is replaced. Others of that name are left out.
            if let index = rest.firstIndex(where: { $0.name == name }) {
                query.append(rest[index].text)
                rest.remove(at: index)
            }
        }
        query += rest.map(\.text)
        return "\(text.prefix { $0 != "?" })?\(query.joined(separator: "&"))"
    }

    private var query: [Substring] {
        text.drop { $0 != "?" }.dropFirst().split(separator: "&")
    }
}

extension ListDescription.QueryItem {
    /// `name=value`
    fileprivate var text: String { "\(name)=\(value)" }
}
