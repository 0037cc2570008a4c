import Catalogue

/// The form in which a list is requested.
enum ListQuery: Hashable {
    /// Ids: all of them, or those of a page.
    case ids(Page?)
    /// All ids with the ETags of their objects.
    case validators
    /// Full objects.
    case objects(Page)

    /// Reads the form from a request's query.
    /// - Throws: ``Refusal`` 400 for an invalid page or size.
    init(_ target: RequestTarget) throws(Refusal) {
        let page = try Page(target)
        guard target["ids"] == "1" else {
            // All full objects in one answer would be too large. A client can request all ids, or the snapshot.
            guard target["size"] != "all" else { throw .invalid("size") }
            self = .objects(page ?? Page(number: 1))
            return
        }
        self = page.map { .ids($0) } ?? (target["validators"] == "1" ? .validators : .ids(nil))
    }
}

/// A page of a list: its number, from 1, and the number of members on a page.
struct Page: Hashable {
    let number: Int
    var size = defaultSize

    static let defaultSize = 20
    static let maximalSize = 500
}

extension Page {
    /// Reads a page from a query; `nil` if the query requests no page.
    ///
    /// A larger size than ``maximalSize`` is reduced to it. The API doesn't guarantee the requested size.
    init?(_ target: RequestTarget) throws(Refusal) {
        let number = try Self.number(target["page"], "page")
        let size = target["size"] == "all" ? nil : try Self.number(target["size"], "size")
        if number == nil, size == nil { return nil }
        self.init(number: number ?? 1, size: min(size ?? Self.defaultSize, Self.maximalSize))
    }

    /// The indices of the page's members in a list of `count` members; empty after the last page.
    func range(of count: Int) -> Range<Int> {
        let (start, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        guard !overflow, start < count else { return 0..<0 }
        return start..<min(start + size, count)
    }

    private static func number(_ text: String?, _ name: String) throws(Refusal) -> Int? {
        guard let text else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), number > 0 else {
            throw .invalid(name)
        }
        return number
    }
}

/// The time in the parameter `since`.
enum SinceQuery {
    /// The maximum age of a time, in calendar months in UTC.
    static let months = 3

    /// Reads the parameter.
    ///
    /// - Returns: the time in the store's format.
    /// - Throws: ``Refusal`` 400 for an invalid timestamp, and for a time that is too old.
    static func time(_ text: String, now: Timestamp) throws(Refusal) -> String {
        guard let since = Timestamp(text) else { throw .invalid("since") }
        guard since >= now.earlier(months: months) else { throw .sinceTooOld }
        return min(since, latest).text
    }

    /// The last time with a year of four digits. Later times can't be compared as texts.
    private static let latest = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_000_000)
}
