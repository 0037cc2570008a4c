extension Artist {
    /// The name in an alphabetical list, family name first where the catalogue says which it is: `Hokusai, Katsushika`.
    /// Its ``SortKey`` orders the list. `nil` if the artist has no name.
    ///
    /// The first of these that exists:
    /// 1. `last`, `first` and `middle`;
    /// 2. `sortable_id`, if it contains a comma or a space and so is meant to be read (`Bruegel, Pieter, the Elder`);
    /// 3. the name in the order of a `sortable_id` that contains the name's words (`Katsushika Hokusai`, with
    ///    `hokusai-katsushika`);
    /// 4. the name.
    package var listName: String? {
        if let last = trimmed("last"), let first = trimmed("first") {
            return "\(last), \([first, trimmed("middle")].compactMap(\.self).joined(separator: " "))"
        }
        let sortable = trimmed("sortable_id")
        if let sortable, sortable.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") })
        {
            return sortable
        }
        guard let name = trimmed("display_name") ?? trimmed("name") else { return sortable }
        return sortable.flatMap { Self.rearranged(name, like: $0) } ?? name
    }

    private func trimmed(_ column: String) -> String? {
        guard let text = text(column), !text.isBlank else { return nil }
        let start = text.drop { $0.isWhitespace }
        return String(start[...(start.lastIndex { !$0.isWhitespace } ?? start.startIndex)])
    }

    /// The name's words from that word on with which `sortable` begins, a comma, and the words before it; `nil` if there is
    /// no such word after the first.
    private static func rearranged(_ name: String, like sortable: String) -> String? {
        guard let wanted = SortKey.folded(sortable) else { return nil }
        let words = name.split(whereSeparator: \.isWhitespace)
        // Names have few words; a longer text isn't one.
        guard (2...10).contains(words.count) else { return nil }
        for index in words.indices.dropFirst() {
            let last = words[index...].joined(separator: " "), first = words[..<index].joined(separator: " ")
            if SortKey.folded("\(last) \(first)") == wanted { return "\(last), \(first)" }
        }
        return nil
    }
}
