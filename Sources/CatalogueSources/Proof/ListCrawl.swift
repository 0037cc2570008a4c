import Catalogue

/// Reads one list: says which page to request next, gets each answer, and ends with the verdict of a ``ListProof``.
///
/// ```swift
/// var crawl = try ListCrawl(list, for: .all(thin: true))
/// while let request = crawl.next {
///     // Send request.url, and then call either of these:
///     crawl.receive(page)
///     crawl.fail("Page 3 answered with status 500.")
/// }
/// let verdict = crawl.verdict
/// ```
///
/// A list ends with the last page that the server states, with the row that makes up the stated total, or else with an empty
/// page: a page with few rows may only mean that the server's pages are smaller than requested.
///
/// A crawl always ends. A list that changes all the time, or a server that repeats pages, makes it incomplete: see
/// ``maximumPages``, ``maximumIDs``, ``maximumStalePages`` and ``maximumFailures``.
package struct ListCrawl: Sendable {
    /// What is read, and why.
    package enum Purpose: Sendable, Hashable {
        /// The whole list; with `thin` as a list of ids and versions, if the description has one.
        case all(thin: Bool)
        /// A part of the catalogue.
        case selection(SourceDescription.Selection, value: String, thin: Bool)
        /// The objects that changed at this time or later, by the `since` of the list.
        ///
        /// `complete` then means that all changes were read. It says nothing about objects that are missing.
        case changes(ListDescription.Since, since: Timestamp)
    }

    /// A page to request.
    package struct Request: Sendable, Hashable {
        /// The URL of the list's template, filled in: relative to the source's base, or absolute.
        package let url: String
        /// The position of the page in the list, from 1.
        package let number: Int
        /// Whether the page was requested before, and is read again at the end.
        package let isAgain: Bool
    }

    /// The maximum number of pages of a list, unless the initialiser gets another.
    package static let maximumPages = 100_000
    /// The maximum number of different ids.
    package static let maximumIDs = 5_000_000
    /// The maximum number of successive pages without a new id.
    package static let maximumStalePages = 10
    /// The number of successive failed pages after which the crawl ends.
    package static let maximumFailures = 3

    /// The next page to request; `nil` if the crawl has ended.
    package private(set) var next: Request?
    /// What the pages said so far.
    package private(set) var proof: ListProof

    private let maximumPages: Int
    private let form: ListDescription.Form
    private let get: URLTemplate
    private let first: Int
    private let size: Int
    private let value: String?
    private let since: Timestamp?
    /// The number of rows before the next page.
    private var offset = 0
    private var stalePages = 0
    private var failures = 0

    /// Creates a crawl, whose first page is ``next``.
    ///
    /// - Throws: a sentence, if the description's `thin` items contain a wrong placeholder.
    package init(
        _ list: ListDescription, for purpose: Purpose, maximumPages: Int = ListCrawl.maximumPages
    ) throws(URLTemplate.Failure) {
        var expected = ListProof.Expectation()
        expected.hasTotal = list.total != nil
        expected.isNewestFirst = list.isNewestFirst
        expected.size = list.form == .whole ? nil : list.size
        expected.window = list.window
        var get = list.get, isThin = false, value: String?, since: Timestamp?
        switch purpose {
        case .all(let thin): isThin = thin
        case .selection(let selection, let chosen, let thin):
            get = selection.get
            expected.window = selection.window ?? list.window
            (isThin, value) = (thin, chosen)
        case .changes(.parameter(let changed, let overlap), let time):
            get = changed
            since = Timestamp(
                seconds: time.seconds - Int(overlap.components.seconds), nanoseconds: time.nanoseconds)
        case .changes(.untilOlder, let time):
            expected.isNewestFirst = true
            expected.isBeginningOnly = true
            since = time
        }
        self.get = isThin ? try get.replacing(list.thin) : get
        (self.value, self.since) = (value, since)
        self.maximumPages = maximumPages
        form = list.form
        first = list.first
        size = list.size ?? 0
        proof = ListProof(expected)
        next = nil
        next = request(1, isAgain: false)
    }

    /// How far a crawl is, without the ids, in a form that can be stored.
    package struct Progress: Codable, Sendable, Hashable {
        var number: Int
        var isAgain: Bool
        var offset: Int
        var stalePages: Int
        var proof: ListProof.Progress
    }

    /// How far the crawl is; `nil` if it has ended.
    package var progress: Progress? {
        next.map {
            Progress(
                number: $0.number, isAgain: $0.isAgain, offset: offset, stalePages: stalePages,
                proof: proof.progress)
        }
    }

    /// Continues an earlier crawl of the same list for the same purpose, in place of a first page.
    ///
    /// The rules of the proof stay the same: a list that changed in the meantime is noticed as one that changes between two pages.
    ///
    /// - Parameter ids: all ids that were read.
    package mutating func resume(_ progress: Progress, ids: Set<ExactText>) {
        offset = progress.offset
        stalePages = progress.stalePages
        proof.restore(progress.proof, ids: ids)
        next = request(progress.number, isAgain: progress.isAgain)
    }

    /// The verdict; `nil` as long as there is a ``next`` page.
    package var verdict: ListProof.Verdict? { next == nil ? proof.verdict : nil }

    /// Takes the answer to ``next``, and decides on the following page.
    package mutating func receive(_ page: ListPage) {
        guard let request = next else { return }
        failures = 0
        if request.isAgain {
            proof.addAgain(page, number: request.number)
            offset += page.count
            readAgain(after: request)
        } else {
            let known = proof.ids.count
            proof.add(page, number: request.number)
            offset += page.count
            stalePages = proof.ids.count > known ? 0 : stalePages + 1
            if isEnd(page, request.number) { end(request) } else { advance(request) }
        }
    }

    /// Takes the failure of ``next``. The list is then incomplete; the following pages are still requested.
    ///
    /// - Parameters:
    ///   - reason: One sentence.
    ///   - isFinal: Whether other pages would fail, too. Default: no.
    package mutating func fail(_ reason: String, isFinal: Bool = false) {
        guard let request = next else { return }
        proof.object(reason)
        failures += 1
        // Without a first page, it is unknown whether there are others.
        if isFinal || request.isAgain || form == .whole || proof.pageCount == 0
            || failures >= Self.maximumFailures
        {
            next = nil
        } else {
            offset += size
            advance(request)
        }
    }
}

extension ListCrawl {
    /// Whether the list ends with this page.
    private func isEnd(_ page: ListPage, _ number: Int) -> Bool {
        if form == .whole || page.count == 0 { return true }
        if proof.expected.isBeginningOnly, let since, page.entries.contains(where: { isOlder($0, since) }) {
            return true
        }
        if let pages = page.pages, pages > 0, number >= pages { return true }
        return page.total == offset
    }

    private func isOlder(_ entry: ListPage.Entry, _ since: Timestamp) -> Bool {
        entry.changed.flatMap(Timestamp.init).map { $0 < since } ?? false
    }

    /// Goes on to the following page, within the limits.
    private mutating func advance(_ request: Request) {
        if let window = proof.expected.window, offset >= window {
            proof.objectToWindow()
        } else if stalePages >= Self.maximumStalePages {
            proof.object("\(stalePages) successive pages have no new id.")
        } else if request.number >= maximumPages || proof.ids.count > Self.maximumIDs {
            proof.object("The list has more than \(maximumPages) pages or \(Self.maximumIDs) ids.")
        } else {
            next = self.request(request.number + 1, isAgain: false)
            return
        }
        next = nil
    }

    /// After the last page: begins the second reading, if the proof needs it.
    private mutating func end(_ request: Request) {
        offset = 0
        next = proof.needsSecondReading ? self.request(1, isAgain: true) : nil
    }

    private mutating func readAgain(after request: Request) {
        next = nil
        guard proof.needsSecondReading else { return }
        // If the whole list had to be read a second time, it changes too fast to prove anything.
        if request.number >= proof.pageCount {
            proof.objectToSecondReading()
        } else {
            next = self.request(request.number + 1, isAgain: true)
        }
    }

    private func request(_ number: Int, isAgain: Bool) -> Request {
        var values: [URLTemplate.Placeholder: String] = [
            .page: String(first + number - 1), .offset: String(offset), .size: String(size),
        ]
        values[.value] = value
        if let since {
            values[.sinceInstant] = since.text
            values[.sinceDate] = String(since.text.prefix(10))
        }
        return Request(url: get.filled(values), number: number, isAgain: isAgain)
    }
}
