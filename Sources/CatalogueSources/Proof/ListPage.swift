/// What one answer of a list says about its objects, as far as ``ListCrawl`` and ``ListProof`` need it.
package struct ListPage: Sendable, Hashable {
    /// One object in the list.
    package struct Entry: Sendable, Hashable, Codable {
        /// The server's id, as text.
        package var id: String
        /// The object's version; `nil` if the list has none.
        package var version: String?
        /// When the object changed (RFC 3339); `nil` if the list doesn't say.
        package var changed: String?
        /// Whether the server says that the object doesn't exist any more.
        package var isGone: Bool

        package init(_ id: String, version: String? = nil, changed: String? = nil, isGone: Bool = false) {
            (self.id, self.version, self.changed, self.isGone) = (id, version, changed, isGone)
        }
    }

    /// The rows that have what is required: an id and, in a list that is sorted by change, a time of change. In the answer's order.
    package var entries: [Entry]
    /// The number of other rows.
    package var skipped: Int
    /// The number of objects that the answer states; `nil` if it states none.
    package var total: Int?
    /// The number of pages that the answer states; `nil` if it states none.
    package var pages: Int?
    /// The outer form of the answer; `nil` if it isn't known.
    package var form: AnswerForm?

    /// Creates a page. A negative total or number of pages means that the server doesn't know it, and counts as `nil`.
    package init(
        _ entries: [Entry], skipped: Int = 0, total: Int? = nil, pages: Int? = nil, form: AnswerForm? = nil
    ) {
        self.form = form
        self.entries = entries
        self.skipped = skipped
        self.total = total.flatMap { $0 < 0 ? nil : $0 }
        self.pages = pages.flatMap { $0 < 0 ? nil : $0 }
    }

    /// The number of all rows.
    package var count: Int { entries.count + skipped }
}
