import CatalogueSources

extension SourceCheck.PageReport {
    /// - Parameter crawl: The crawl of the list after this page.
    init(_ page: SourcePage, _ list: ListDescription, _ crawl: ListCrawl) {
        (rows, skipped, total, pages) = (page.rows.count, page.skipped, page.total, page.pages)
        hasVersions = page.rows.contains { $0.version != nil }
        hasObjects = page.rows.contains { $0.object != nil }
        verdict = crawl.verdict
        proof = Self.sentences(page, list, crawl)
    }

    /// What the proof of the list says, and what the rest of the list would take.
    private static func sentences(_ page: SourcePage, _ list: ListDescription, _ crawl: ListCrawl) -> [String]
    {
        var sentences: [String] = []
        let read = page.rows.count + page.skipped
        switch crawl.verdict {
        case .complete:
            sentences.append(
                "The list is complete: \(list.total == nil ? "no id came twice" : "the number of different ids equals the stated total")."
            )
        case .incomplete(let reason):
            sentences.append("The list is incomplete: \(reason)")
        case nil:
            if let problem = crawl.proof.problem { sentences.append("The list is incomplete: \(problem)") }
            sentences.append(rest(page, list, read))
        }
        if let size = list.size, list.form != .whole, read < size, (page.total ?? 0) > read {
            sentences.append(
                "The page has \(read.grouped) rows although \(size.grouped) were requested: the server's pages may be smaller. Set \"size\" to the number that it gives."
            )
        }
        return sentences
    }

    /// What reading the other pages would take.
    private static func rest(_ page: SourcePage, _ list: ListDescription, _ read: Int) -> String {
        let proof =
            list.isNewestFirst
            ? "Then it would be read again from the top, until an unchanged entry is met."
            : list.total == nil
                ? "No total is stated, so page 1 would be read again at the end, and no id may come twice."
                : "The number of different ids must then equal the total."
        if let total = page.total, let size = list.size, size > 0 {
            let pages = page.pages ?? (total + size - 1) / size
            return
                "The page states a total of \(total.grouped); the list would have \(pages.grouped) \(pages == 1 ? "page" : "pages"), of which one was read. \(proof)"
        }
        if let pages = page.pages {
            return "The page states \(pages.grouped) pages, of which one was read. \(proof)"
        }
        return "The list would be read until a page is empty; one page was read. \(proof)"
    }
}
