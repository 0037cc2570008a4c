import Catalogue
import CatalogueSources
import Testing

/// The requests of a crawl, and its limits.
@Suite struct ListCrawlTests {
    private func list(_ form: ListDescription.Form, _ get: String, size: Int? = nil) throws -> ListDescription
    {
        var list = ListDescription(form: form, get: try URLTemplate(get), rows: SourceQuery("SELECT 1 AS id"))
        list.size = size
        return list
    }

    private func page(_ range: Range<Int>, changed: (Int) -> Timestamp? = { _ in nil }) -> ListPage {
        ListPage(range.map { ListPage.Entry("\($0)", changed: changed($0)?.text) })
    }

    /// The URLs of a crawl that gets these pages, until it ends or there are no more.
    private func urls(_ crawl: ListCrawl, _ pages: [ListPage]) -> [String] {
        var crawl = crawl, urls: [String] = []
        for page in pages {
            guard let request = crawl.next else { break }
            urls.append(request.url)
            crawl.receive(page)
        }
        return urls + (crawl.next.map { ["… \($0.url)"] } ?? [])
    }

    @Test(arguments: [
        (ListDescription.Form.whole, "/objects", 1, ["/objects"]),
        (
            .page, "/a?page={page}&limit={size}", 1,
            ["/a?page=1&limit=2", "/a?page=2&limit=2", "/a?page=3&limit=2"]
        ),
        (.page, "/a?page={page}", 0, ["/a?page=0", "/a?page=1", "/a?page=2"]),
        (.offset, "/a?skip={offset}&n={size}", 1, ["/a?skip=0&n=2", "/a?skip=2&n=2", "/a?skip=4&n=2"]),
    ])
    func eachFormMakesItsURLs(form: ListDescription.Form, get: String, first: Int, expected: [String]) throws
    {
        var list = try list(form, get, size: form == .whole ? nil : 2)
        list.first = first
        list.total = SourceQuery("SELECT 1")
        let pages = [page(0..<2), page(2..<4), page(4..<5)].map { page in
            var page = page
            page.total = 5
            return page
        }
        #expect(urls(try ListCrawl(list, for: .all(thin: false)), pages) == expected)
    }

    @Test func aThinListReplacesItemsOfTheQuery() throws {
        var list = try list(.page, "/a?page={page}&limit=100&fields=id,title", size: 100)
        list.thin = [.init("fields", "id,updated_at"), .init("limit", "{size}"), .init("sort", "x")]
        #expect(
            try ListCrawl(list, for: .all(thin: true)).next?.url
                == "/a?page=1&limit=100&fields=id,updated_at&sort=x")
        #expect(
            try ListCrawl(list, for: .all(thin: false)).next?.url == "/a?page=1&limit=100&fields=id,title")
        list.thin = [.init("fields", "{field}")]
        #expect(throws: URLTemplate.Failure.self) { try ListCrawl(list, for: .all(thin: true)) }
    }

    @Test func aSelectionHasItsOwnRequestAndWindow() throws {
        var list = try list(.page, "/a?page={page}", size: 2)
        list.total = SourceQuery("SELECT 1")
        let selection = SourceDescription.Selection(
            get: try URLTemplate("/b?department={value}&page={page}"), window: 2)
        var crawl = try ListCrawl(list, for: .selection(selection, value: "Prints & Co", thin: false))
        #expect(crawl.next?.url == "/b?department=Prints%20%26%20Co&page=1")
        crawl.receive(ListPage([.init("a"), .init("b")], total: 3))
        #expect(
            crawl.verdict
                == .incomplete("The server's list ends after 2 objects, and the catalogue may have more."))
    }

    @Test func changesAreRequestedSinceATimeWithOverlap() throws {
        let list = try list(.whole, "/objects")
        let time = try #require(Timestamp("2026-03-01T12:00:00Z"))
        func url(_ get: String, _ overlap: Duration) throws -> String? {
            let since = ListDescription.Since.parameter(get: try URLTemplate(get), overlap: overlap)
            return try ListCrawl(list, for: .changes(since, since: time)).next?.url
        }
        #expect(try url("/objects?d={since:date}", .seconds(2 * 86_400)) == "/objects?d=2026-02-27")
        #expect(
            try url("/objects?from={since:instant}", .zero) == "/objects?from=2026-03-01T12%3A00%3A00.000Z")
    }

    @Test func changesByOrderAreReadUntilAnOlderEntry() throws {
        var list = try list(.page, "/a?page={page}", size: 2)
        list.total = SourceQuery("SELECT 1")
        let time = Timestamp(seconds: 96)
        func stamped(_ range: Range<Int>) -> ListPage { page(range) { Timestamp(seconds: 100 - $0) } }
        var crawl = try ListCrawl(list, for: .changes(.untilOlder, since: time))
        crawl.receive(stamped(0..<2))
        crawl.receive(stamped(2..<4))
        // The last entry has the time of the last sync, so there may be others of that time.
        crawl.receive(stamped(4..<6))
        #expect(crawl.verdict == .complete && crawl.proof.ids.count == 6)
        crawl = try ListCrawl(list, for: .changes(.untilOlder, since: time))
        crawl.receive(stamped(0..<2))
        crawl.receive(page(2..<4))
        crawl.receive(stamped(4..<6))
        #expect(
            crawl.verdict == .incomplete("Page 2 has an entry without a readable time of its change."))
        // The whole list is newer.
        crawl = try ListCrawl(list, for: .changes(.untilOlder, since: Timestamp(seconds: 1)))
        crawl.receive(stamped(0..<2))
        crawl.receive(page(0..<0))
        #expect(crawl.verdict == .complete)
    }

    @Test func changesByOrderThatReachTheWindowAreIncomplete() throws {
        var list = try list(.offset, "/a?from={offset}", size: 2)
        list.window = 4
        var crawl = try ListCrawl(list, for: .changes(.untilOlder, since: Timestamp(seconds: 1)))
        for start in [0, 2] { crawl.receive(page(start..<start + 2) { Timestamp(seconds: 100 - $0) }) }
        #expect(crawl.verdict.map { $0 == .complete } == false)
    }

    @Test(arguments: ListShape.all) func aServerThatRepeatsPageOneForEverEnds(shape: ListShape) throws {
        var crawl = try ListCrawl(try shape.description(size: 2), for: .all(thin: false)), requests = 0
        while crawl.next != nil, requests < 1000 {
            var answer = page(0..<2) { Timestamp(seconds: 100 - $0) }
            answer.total = 50
            answer.pages = 25
            crawl.receive(answer)
            requests += 1
        }
        #expect(requests <= 12)
        #expect(crawl.verdict.map { $0 == .complete } == false)
    }

    @Test func aListWithoutEndEnds() throws {
        let list = try list(.offset, "/a?from={offset}", size: 2)
        var crawl = try ListCrawl(list, for: .all(thin: false), maximumPages: 40), requests = 0
        while crawl.next != nil {
            crawl.receive(page(requests * 2..<requests * 2 + 2))
            requests += 1
        }
        #expect(requests == 40)
        #expect(
            crawl.verdict
                == .incomplete("The list has more than 40 pages or \(ListCrawl.maximumIDs) ids."))
    }

    @Test func aListWhoseFirstPageAlwaysChangesIsNotReadAgainForEver() throws {
        let shape = ListShape(form: .page, hasTotal: true, isNewestFirst: true)
        var crawl = try ListCrawl(try shape.description(size: 2), for: .all(thin: false)), requests = 0
        while crawl.next != nil, requests < 1000 {
            // All objects change between any two requests.
            let isLast = requests == 2
            crawl.receive(
                ListPage(
                    (0..<(isLast ? 1 : 2)).map {
                        let time = Timestamp(
                            seconds: (requests > 2 ? 5_000 - requests * 10 : 1_000 - requests * 10) - $0)
                        return ListPage.Entry("\(requests % 3 * 2 + $0)", changed: time.text)
                    }, total: 5))
            requests += 1
        }
        #expect(requests == 6)
        #expect(crawl.verdict.map { $0 == .complete } == false)
    }

    @Test func aFinalFailureEndsTheCrawl() throws {
        var crawl = try ListCrawl(
            try ListShape(form: .page).description(size: 2), for: .all(thin: false))
        crawl.receive(page(0..<2))
        crawl.fail("The host blocks requests.", isFinal: true)
        #expect(crawl.verdict == .incomplete("The host blocks requests.") && crawl.proof.ids.count == 2)
    }

    @Test func failedPagesOfAnOffsetListAreSkipped() throws {
        var crawl = try ListCrawl(
            try ListShape(form: .offset).description(size: 2), for: .all(thin: false))
        crawl.receive(page(0..<2))
        crawl.fail("Page 2 failed.")
        #expect(crawl.next?.url == "/list?offset=4&size=2")
    }
}
