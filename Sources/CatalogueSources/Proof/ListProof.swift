import Catalogue

/// Collects what the answers of one list say, and decides whether they prove that the list is complete.
///
/// Objects may be removed from the mirror only if they are missing from complete lists. A list is complete if:
/// - every page was received, all its rows have what is required, and the end of the server's list (`window`) wasn't reached;
/// - no page but the last has fewer rows than requested, and no page is empty although the server states that there are more;
/// - with a total: the number of different ids equals it, and it is the same on all pages, the last one included;
/// - without a total: no id came twice, and page one, requested again at the end, is unchanged;
/// - no id is both listed and reported as deleted;
/// - of a list that is sorted by change, newest first: it is read again from the top at the end, until an unchanged entry of
///   the first page is met. This replaces the comparison of page one.
///
/// A list in a single answer isn't read again, because it can't change between its pages.
///
/// What this proves: the ids that were read are those of the list at the end of the crawl, provided that no object that was
/// read has been removed from the list since. With a total, such a removal is noticed, unless another object was added between
/// the same two requests. So an object is only removed after its own URL has confirmed its absence (`AbsenceRule`).
///
/// Memory: one copy of each id. 500,000 ids take 19 MB if they have up to 15 bytes, which Swift stores inline, and 56 MB with 22
/// bytes each.
package struct ListProof: Sendable {
    /// Whether a list is complete.
    package enum Verdict: Sendable, Hashable {
        case complete
        /// The reason is one sentence.
        case incomplete(String)
    }

    /// What the description says about the list.
    package struct Expectation: Sendable, Hashable {
        /// Whether pages state a total.
        package var hasTotal = false
        /// Whether the objects that changed last come first.
        package var isNewestFirst = false
        /// The number of rows of a full page; `nil` if the list is one answer.
        package var size: Int?
        /// The number of objects beyond which the server's list ends; `nil` if it has no such limit.
        package var window: Int?
        /// Whether only the newest entries are read (`until_older`), so that the number of ids proves nothing.
        package var isBeginningOnly = false

        package init() {}
    }

    package let expected: Expectation
    /// All different ids so far.
    package private(set) var ids: Set<ExactText> = []
    /// The number of pages so far, without those that were read again.
    package private(set) var pageCount = 0
    /// The first reason why the list isn't complete; `nil` if there is none so far.
    package private(set) var problem: String?
    /// Whether the second reading from the top has reached its aim.
    package private(set) var isReadAgain = false

    /// The ids of ``ids`` that the list reports as deleted. A crawl that is continued begins without them.
    private var gone: Set<ExactText> = []
    private var firstPage: [ListPage.Entry] = []
    private var total: Int?
    private var hasTotalAtEnd = false
    /// The number of pages that the server states, and the page that first stated it.
    private var pages: (count: Int, statedBy: Int)?
    private var shortPage: (number: Int, rows: Int)?
    private var lastChange: Timestamp?
    private var firstForm: AnswerForm?

    /// What was collected so far, without the ids, in a form that can be stored.
    struct Progress: Codable, Sendable, Hashable {
        var pageCount: Int
        var problem: String?
        var isReadAgain: Bool
        var firstPage: [ListPage.Entry]
        var total: Int?
        var hasTotalAtEnd: Bool
        var pages: [Int]
        var shortPage: [Int]
        var lastChange: String?
        var firstForm: AnswerForm?
    }

    var progress: Progress {
        Progress(
            pageCount: pageCount, problem: problem, isReadAgain: isReadAgain, firstPage: firstPage,
            total: total, hasTotalAtEnd: hasTotalAtEnd, pages: pages.map { [$0.count, $0.statedBy] } ?? [],
            shortPage: shortPage.map { [$0.number, $0.rows] } ?? [], lastChange: lastChange?.text,
            firstForm: firstForm)
    }

    /// Restores what was collected.
    mutating func restore(_ progress: Progress, ids: Set<ExactText>) {
        self.ids = ids
        (pageCount, problem, isReadAgain) = (progress.pageCount, progress.problem, progress.isReadAgain)
        (firstPage, total, hasTotalAtEnd) = (progress.firstPage, progress.total, progress.hasTotalAtEnd)
        pages = progress.pages.count == 2 ? (progress.pages[0], progress.pages[1]) : nil
        shortPage = progress.shortPage.count == 2 ? (progress.shortPage[0], progress.shortPage[1]) : nil
        lastChange = progress.lastChange.flatMap(Timestamp.init)
        firstForm = progress.firstForm
    }

    package init(_ expected: Expectation) { self.expected = expected }

    /// Adds the next page of the list.
    ///
    /// - Parameter number: The position of the page in the list, from 1. If a page failed, its number is missing.
    package mutating func add(_ page: ListPage, number: Int) {
        if pageCount == 0 { (firstPage, firstForm) = (page.entries, page.form) }
        pageCount += 1
        checkForm(page, number)
        check(page, number)
        checkTotal(page.total, number)
        checkPages(page, number)
        checkSize(page, number)
        for entry in page.entries where !insert(entry, number) {
            if !expected.hasTotal, !expected.isBeginningOnly {
                object("\(name(number)) has an id that came before.")
            }
        }
        if let window = expected.window, !expected.isBeginningOnly,
            ids.count >= window || (page.total ?? 0) >= window
        {
            objectToWindow()
        }
    }

    /// Adds a page of the second reading.
    ///
    /// - Parameter number: The position of the page in the list, from 1.
    package mutating func addAgain(_ page: ListPage, number: Int) {
        if number == 1 { lastChange = nil }
        check(page, number)
        if expected.hasTotal {
            if page.total == nil { object("The server states no total at the end of the list.") }
            checkTotal(page.total, number)
        }
        for entry in page.entries { insert(entry, number) }
        if expected.isNewestFirst {
            isReadAgain = !Set(firstPage).isDisjoint(with: page.entries)
            if !isReadAgain, page.count == 0 { objectToSecondReading() }
        } else {
            isReadAgain = true
            if !expected.hasTotal, page.entries.map(\.id) != firstPage.map(\.id) {
                object("The first page changed while the list was read.")
            }
        }
    }

    /// Notes why the list isn't complete, as one sentence. Only the first reason is kept.
    package mutating func object(_ reason: String) {
        if problem == nil { problem = reason }
    }

    package mutating func objectToWindow() {
        object(
            "The server's list ends after \(expected.window ?? 0) objects, and the catalogue may have more.")
    }

    package mutating func objectToSecondReading() {
        object("No entry of the first page was found unchanged when the list was read again from the top.")
    }

    /// Whether the list must be read again from the top. To be asked after the last page.
    package var needsSecondReading: Bool {
        guard problem == nil, pageCount > 1, !isReadAgain, !expected.isBeginningOnly else { return false }
        return expected.isNewestFirst || !hasTotalAtEnd
    }

    /// Whether the pages so far prove that the list is complete. To be asked after the last page.
    package var verdict: Verdict {
        if let problem { return .incomplete(problem) }
        if pageCount == 0 { return .incomplete("The list was not read.") }
        if expected.isBeginningOnly { return .complete }
        if needsSecondReading { return .incomplete("The list was not read again from the top.") }
        if expected.hasTotal, let total, ids.count != total {
            return .incomplete(
                "The server states \(total) objects, and \(ids.count) different ids were read.")
        }
        return .complete
    }
}

extension ListProof {
    /// - Returns: whether the id is new.
    @discardableResult
    private mutating func insert(_ entry: ListPage.Entry, _ number: Int) -> Bool {
        let id = ExactText(entry.id), isNew = ids.insert(id).inserted
        let wasGone = entry.isGone ? !gone.insert(id).inserted : !gone.isEmpty && gone.contains(id)
        if !isNew, wasGone != entry.isGone {
            object("\(name(number)) has an id that the list contains, and also reports as deleted.")
        }
        return isNew
    }

    /// What must be true of a page in both readings: ids, and the order by change.
    private mutating func check(_ page: ListPage, _ number: Int) {
        if page.skipped > 0 {
            let required = expected.isNewestFirst ? "an id, or without a time of its change" : "an id"
            object(
                "\(name(number)) has \(page.skipped) \(page.skipped == 1 ? "row" : "rows") without \(required)."
            )
        }
        guard expected.isNewestFirst else { return }
        for entry in page.entries {
            guard let change = entry.changed.flatMap(Timestamp.init) else {
                object("\(name(number)) has an entry without a readable time of its change.")
                continue
            }
            if let lastChange, change > lastChange {
                object("\(name(number)) isn't sorted by the time of change, newest first.")
            }
            lastChange = change
        }
    }

    private mutating func checkTotal(_ stated: Int?, _ number: Int) {
        guard expected.hasTotal, !expected.isBeginningOnly else { return }
        hasTotalAtEnd = stated != nil
        guard let stated else {
            if total == nil { object("\(name(number)) states no total, although the description reads one.") }
            return
        }
        if let total, total != stated {
            object(
                "The list changed while it was read: at first it had \(total) objects, and later \(stated).")
        }
        total = total ?? stated
    }

    private mutating func checkPages(_ page: ListPage, _ number: Int) {
        guard let stated = page.pages, expected.size != nil else { return }
        if let pages, pages.count != stated {
            object("Page \(pages.statedBy) states \(pages.count) pages, and page \(number) states \(stated).")
        }
        pages = pages ?? (stated, number)
    }

    /// A page without entries may be an error with status 200.
    private mutating func checkForm(_ page: ListPage, _ number: Int) {
        guard page.count == 0, let form = page.form, let firstForm else { return }
        if number == 1, page.total == nil, !form.isArray, form.containers.isEmpty {
            object("\(name(number)) has no entries, and no array that could have some.")
        }
        guard !form.isLike(firstForm) else { return }
        object("\(name(number)) has no entries, and another form than page 1.")
    }

    private mutating func checkSize(_ page: ListPage, _ number: Int) {
        guard let size = expected.size else { return }
        guard page.count > 0 else {
            if let pages = page.pages ?? pages?.count, pages >= number, pages > 1 {
                object("Page \(number) is empty, although the server states \(pages) pages.")
            } else if let total, ids.count < total, !expected.isBeginningOnly {
                object("Page \(number) is empty, although the server states \(total) objects.")
            }
            return
        }
        if let shortPage {
            object(
                "Page \(shortPage.number) has \(shortPage.rows) rows instead of \(size), although it isn't the last page."
            )
        }
        if page.count < size { shortPage = shortPage ?? (number, page.count) }
    }

    private func name(_ number: Int) -> String { expected.size == nil ? "The list" : "Page \(number)" }
}
