import Catalogue

/// In which form a list is requested.
enum ListQuery: Hashable {
    /// Ids: all of them, or those of a page.
    case ids(Page?)
    /// All ids with the ETags of their objects.
    case validators
    /// Full objects.
    case objects(Page)

    /// - Throws: ``Refusal`` 400 for a page or size that is none.
    init(_ target: RequestTarget) throws(Refusal) {
        let page = try Page(target)
        guard target["ids"] == "1" else {
            // A whole catalogue in one answer is what ids and the snapshot are for.
            guard target["size"] != "all" else { throw .invalid("size") }
            self = .objects(page ?? Page(number: 1))
            return
        }
        self = page.map { .ids($0) } ?? (target["validators"] == "1" ? .validators : .ids(nil))
    }
}

/// A page of a list: which, from 1, and how many members are on each.
struct Page: Hashable {
    let number: Int
    var size = defaultSize

    static let defaultSize = 20
    static let maximalSize = 500
}

extension Page {
    /// `nil` if the query asks for no page. A size beyond the largest is the largest: that every page but the last is
    /// full is no promise of the API.
    init?(_ target: RequestTarget) throws(Refusal) {
        let number = try Self.number(target["page"], "page")
        let size = target["size"] == "all" ? nil : try Self.number(target["size"], "size")
        if number == nil, size == nil { return nil }
        self.init(number: number ?? 1, size: min(size ?? Self.defaultSize, Self.maximalSize))
    }

    /// Which of `count` members are on it; none behind the last page.
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

/// The time since which changes are requested.
enum SinceQuery {
    /// Calendar months, in UTC, that a time may lie back.
    static let months = 3

    /// - Returns: the time as stores write times.
    /// - Throws: ``Refusal``: 400 for what is no timestamp, and for one that lies back too far.
    static func time(_ text: String, now: Timestamp) throws(Refusal) -> String {
        guard let since = Timestamp(text) else { throw .invalid("since") }
        guard since >= now.earlier(months: months) else { throw .sinceTooOld }
        return min(since, latest).text
    }

    /// The last time with a year of four digits: what is later can't be compared as text.
    private static let latest = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_000_000)
}
