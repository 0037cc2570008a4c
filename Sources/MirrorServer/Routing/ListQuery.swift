import Catalogue

/// How a list is asked for.
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
    let size: Int

    static let defaultSize = 20
    static let maximalSize = 500

    init(number: Int, size: Int = defaultSize) {
        self.number = number
        self.size = size
    }

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
