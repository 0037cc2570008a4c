/// A list of which a page shows the first entries, so that it stays small. The JSON beside the page has more.
enum CutList {
    /// The greatest number of entries in the JSON.
    static let mostInJSON = 10_000

    /// The link after a list that was cut; `nil` if all is shown.
    ///
    /// - Parameters:
    ///   - noun: the plural of what the list contains.
    ///   - count: the number of all; `nil` if it is unknown.
    ///   - shown: the number of those on the page.
    static func link(_ noun: String, _ count: Int?, shown: Int, _ jsonHref: String) -> PageBlock.Link? {
        if let count, count <= shown { return nil }
        let number = count.map { "\(CountText($0).digits) " } ?? ""
        return (text: "All \(number)\(noun), in the JSON", href: jsonHref)
    }
}
