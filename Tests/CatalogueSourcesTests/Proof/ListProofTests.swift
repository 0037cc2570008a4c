import Catalogue
import CatalogueSources
import Testing

/// The rules for complete lists, one by one. Pages have 2 rows; each letter is an id.
@Suite struct ListProofTests {
    /// A list as its server answers it: one text of ids for each page, in the order of the requests.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var shape = ListShape(form: .page)
        var window: Int?
        var pages: [ListPage?]
        /// The start of the reason; `nil` if the list is complete.
        var reason: String?

        var testDescription: String { name }
    }

    static let total = ListShape(form: .page, hasTotal: true)
    static let paged = ListShape(form: .page, hasPages: true)
    static let newest = ListShape(form: .page, isNewestFirst: true)
    static let newestTotal = ListShape(form: .page, hasTotal: true, isNewestFirst: true)

    /// A page of ids. A digit after a letter is the time of its change, which is also its version; `?` is a row without an id; an id
    /// after `-` is reported as deleted.
    static func page(_ text: String, total: Int? = nil, pages: Int? = nil) -> ListPage {
        let words = text.split(separator: " ")
        let entries = words.filter { $0 != "?" }.map { text in
            let word = text.drop { $0 == "-" }
            return ListPage.Entry(
                String(word.prefix(1)), version: String(word.dropFirst()),
                changed: Int(word.dropFirst()).map { Timestamp(seconds: $0).text },
                isGone: text.hasPrefix("-"))
        }
        return ListPage(entries, skipped: words.count - entries.count, total: total, pages: pages)
    }

    static let cases: [Case] = [
        Case(name: "total reached", shape: total, pages: [page("a b", total: 3), page("c", total: 3)]),
        Case(
            name: "total reached in spite of a repeated id", shape: total,
            pages: [page("a b", total: 4), page("b c", total: 4)],
            reason: "The server states 4 objects, and 3 different ids were read."),
        Case(
            name: "repeated rows that the server does not count", shape: total,
            pages: [page("a b", total: 3), page("b c", total: 3), page("", total: 3)]),
        Case(
            name: "total of the last page differs", shape: total,
            pages: [page("a b", total: 3), page("c d", total: 4)],
            reason: "The list changed while it was read: at first it had 3 objects, and later 4."),
        Case(
            name: "total differs for a moment", shape: total,
            pages: [page("a b", total: 5), page("c d", total: 6), page("e", total: 5)],
            reason: "The list changed"),
        // The limit of the proof: of a, b, c, d, the object a was removed and e added after page 1, and c is missing.
        Case(
            name: "a removal and an addition between the same two requests", shape: total,
            pages: [page("a b", total: 4), page("d e", total: 4)]),
        Case(
            name: "no total on the first page", shape: total, pages: [page("a b"), page("c", total: 3)],
            reason: "Page 1 states no total"),
        Case(
            name: "total on the first page only", shape: total,
            pages: [page("a b", total: 3), page("c"), page(""), page("x y", total: 3)],
            reason: "The server states 3 objects, and 5"),
        Case(
            name: "total on the first page only, and again at the end", shape: total,
            pages: [page("a b", total: 3), page("c"), page(""), page("b a", total: 3)]),
        Case(
            name: "total on the first page only, and changed at the end", shape: total,
            pages: [page("a b", total: 3), page("c"), page(""), page("a b", total: 4)],
            reason: "The list changed"),
        Case(
            name: "no total at the end", shape: total,
            pages: [page("a b", total: 3), page("c"), page(""), page("a b")],
            reason: "The server states no total at the end of the list."),
        Case(
            name: "unknown total", shape: total,
            pages: [page("a b", total: -1), page("")], reason: "Page 1 states no total"),
        Case(name: "empty with a total", shape: total, pages: [page("", total: 0)]),
        Case(
            name: "empty before the total", shape: total, pages: [page("a b", total: 5), page("", total: 5)],
            reason: "Page 2 is empty, although the server states 5 objects."),
        Case(name: "first page unchanged", pages: [page("a b"), page("c"), page(""), page("a b")]),
        Case(
            name: "first page changed", pages: [page("a b"), page("c"), page(""), page("n a")],
            reason: "The first page changed while the list was read."),
        Case(
            name: "first page in another order", pages: [page("a b"), page("c"), page(""), page("b a")],
            reason: "The first page changed"),
        Case(
            name: "ids that are reported as deleted", shape: total,
            pages: [page("a -b", total: 3), page("-c", total: 3)]),
        Case(
            name: "an id that is reported as deleted twice", shape: total,
            pages: [page("a -b", total: 3), page("-b c", total: 3), page("", total: 3)]),
        Case(
            name: "an id that is listed, and later reported as deleted", shape: total,
            pages: [page("a b", total: 3), page("-b c", total: 3), page("", total: 3)],
            reason: "Page 2 has an id that the list contains, and also reports as deleted."),
        Case(
            name: "an id that is reported as deleted, and later listed", shape: total,
            pages: [page("-b b", total: 3), page("c", total: 3)],
            reason: "Page 1 has an id that the list contains, and also reports as deleted."),
        Case(
            name: "an id that the second reading reports as deleted",
            pages: [page("a b"), page("c"), page(""), page("a -b")],
            reason: "Page 1 has an id that the list contains, and also reports as deleted."),
        Case(
            name: "an id twice", pages: [page("a b"), page("b c"), page("")],
            reason: "Page 2 has an id that came before."),
        Case(name: "empty", pages: [page("")]),
        Case(
            name: "a row without an id", pages: [page("a ?"), page("c"), page("")],
            reason: "Page 1 has 1 row without an id."),
        Case(
            name: "a row without a time of change", shape: newest,
            pages: [page("b9 ?"), page("c1"), page("")],
            reason: "Page 1 has 1 row without an id, or without a time of its change."),
        Case(
            name: "a short page", pages: [page("a"), page("b c"), page("")],
            reason: "Page 1 has 1 rows instead of 2, although it isn't the last page."),
        Case(
            name: "a page failed", pages: [page("a b"), nil, page("e f"), page("")], reason: "Failure."),
        Case(name: "the first page failed", pages: [nil], reason: "Failure."),
        Case(
            name: "three failures in a row", pages: [page("a b"), nil, nil, nil], reason: "Failure."),
        Case(
            name: "page one failed at the end", pages: [page("a b"), page(""), nil], reason: "Failure."),
        Case(
            name: "number of pages reached", shape: paged,
            pages: [page("a b", pages: 2), page("c d", pages: 2), page("a b", pages: 2)]),
        Case(
            name: "empty although there are more pages", shape: paged,
            pages: [page("a b", pages: 5), page("", pages: 5)],
            reason: "Page 2 is empty, although the server states 5 pages."),
        Case(
            name: "number of pages changed", shape: paged,
            pages: [page("a b", pages: 2), page("c d", pages: 3), page("e", pages: 3)],
            reason: "Page 1 states 2 pages, and page 2 states 3."),
        Case(
            name: "empty list of one page", shape: paged, pages: [page("", pages: 1)]),
        Case(
            name: "window reached", shape: total, window: 4,
            pages: [page("a b", total: 5), page("c d", total: 5)],
            reason: "The server's list ends after 4 objects, and the catalogue may have more."),
        Case(
            name: "window reached exactly", shape: total, window: 4,
            pages: [page("a b", total: 4), page("c d", total: 4)], reason: "The server's list ends after 4"),
        Case(
            name: "window not reached", shape: total, window: 4,
            pages: [page("a b", total: 3), page("c", total: 3)]),
        Case(
            name: "newest first at rest", shape: newest,
            pages: [page("a9 b8"), page("c7"), page(""), page("a9 b8")]),
        Case(
            name: "newest first, an object changed", shape: newestTotal,
            pages: [
                page("a9 b8", total: 4), page("b8 c7", total: 4), page("d10 a9", total: 4),
            ]),
        Case(
            name: "newest first, two pages of changes", shape: newestTotal,
            pages: [
                page("a9 b8", total: 6), page("b8 c7", total: 6), page("d6 e5", total: 6),
                page("f12 c11", total: 6), page("d10 a9", total: 6),
            ]),
        Case(
            name: "newest first, the entries of the first page have other versions", shape: newestTotal,
            pages: [
                page("a9 b8", total: 3), page("c7", total: 3), page("b11 a10", total: 3),
                page("c7", total: 3),
            ], reason: "No entry of the first page was found unchanged"),
        Case(
            name: "not sorted", shape: newestTotal, pages: [page("a8 b9", total: 3), page("c7", total: 3)],
            reason: "Page 1 isn't sorted by the time of change, newest first."),
        Case(
            name: "pages not sorted", shape: newestTotal,
            pages: [page("a9 b7", total: 3), page("c8", total: 3)], reason: "Page 2 isn't sorted"),
        Case(
            name: "no time of change", shape: newestTotal, pages: [page("a9 b", total: 2)],
            reason: "Page 1 has an entry without a readable time of its change."),
        Case(name: "one answer", shape: ListShape(form: .whole), pages: [page("a b c")]),
        Case(
            name: "one answer with an id twice", shape: ListShape(form: .whole), pages: [page("a b a")],
            reason: "The list has an id that came before."),
        Case(
            name: "one answer with a total", shape: ListShape(form: .whole, hasTotal: true),
            pages: [page("a b b", total: 2)]),
        Case(
            name: "one answer with too few ids", shape: ListShape(form: .whole, hasTotal: true),
            pages: [page("a b", total: 3)],
            reason: "The server states 3 objects, and 2 different ids were read."),
        Case(
            name: "one answer with rows without ids", shape: ListShape(form: .whole, hasTotal: true),
            pages: [page("a ? ?", total: 1)], reason: "The list has 2 rows without an id."),
    ]

    @Test(arguments: cases) func eachRuleDecidesWhetherAListIsComplete(_ list: Case) throws {
        var description = try list.shape.description(size: 2)
        description.window = list.window
        var crawl = try ListCrawl(description, for: .all(thin: false))
        var answers = list.pages[...]
        while crawl.next != nil, let answer = answers.popFirst() {
            if let answer { crawl.receive(answer) } else { crawl.fail("Failure.") }
        }
        #expect(crawl.next == nil, "The crawl requests another page.")
        #expect(answers.isEmpty, "The crawl ends early.")
        switch crawl.verdict {
        case .complete?: #expect(list.reason == nil)
        case .incomplete(let reason)?: #expect(list.reason.map(reason.hasPrefix) == true, "\(reason)")
        case nil: Issue.record("The crawl has no verdict.")
        }
    }

    @Test func aListThatWasNotReadIsIncomplete() {
        #expect(ListProof(ListProof.Expectation()).verdict == .incomplete("The list was not read."))
    }
}
