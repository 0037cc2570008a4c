import Catalogue
import CatalogueSources
import MirrorHTTP
import MirrorStore

/// Requests the pages of one list of a described source, one after the other, until the list's proof is complete or can't be.
struct SourceCrawl {
    let environment: SyncEnvironment
    let source: DescribedSource
    let kind: Kind
    let name: ListName

    /// What was read of a list.
    struct Reading {
        var verdict: ListProof.Verdict
        /// The number of pages, without those that were read a second time.
        var pages: Int
        /// When the server made the first page, in seconds since 1970.
        var beganAt: Double?
    }

    /// Reads a list.
    ///
    /// A page that can't be requested or read makes the list incomplete. The following pages are still read.
    ///
    /// - Parameter take: called with each page that was read, in order. Pages of a second reading are passed, too.
    /// - Throws: the error of the first page, if none could be read; ``SyncError`` for errors that end the run; errors of `take`.
    func read(
        _ list: ListDescription, for purpose: ListCrawl.Purpose, _ take: (SourcePage) async throws -> Void
    ) async throws -> Reading {
        var crawl = try ListCrawl(list, for: purpose), first: (any Error)?, beganAt: Double?
        let isThin = purpose.isThin
        while let request = crawl.next {
            do {
                let operation = operation(request.url, isLight: isThin || list.form == .whole)
                let fetched = try await environment.send(operation, for: name)
                guard case .body(let response) = fetched else {
                    throw HTTPError(.badResponse, "The server answered a page of its \(name.title) without content.")
                }
                let page = try environment.reading(operation) {
                    try source.catalogue.reader.page(response.body, of: kind, thin: isThin)
                }
                try environment.measured(fetched)
                beganAt = beganAt ?? fetched.madeAt
                environment.report.note { $0.listBytes += response.body.count }
                try await environment.identification.confirm(environment)
                try await take(page)
                crawl.receive(page.proof)
            } catch let error as HTTPError {
                first = first ?? error
                crawl.fail(error.message, isFinal: error.status == 404 || error.status == 410)
            } catch let error as SourceReadingError {
                first = first ?? SyncError(.badAnswer, error.message)
                crawl.fail(error.message)
            }
        }
        if crawl.proof.pageCount == 0, let first { throw first }
        return Reading(
            verdict: crawl.verdict ?? .incomplete("The list was not read to its end."),
            pages: crawl.proof.pageCount, beganAt: beganAt)
    }

    /// - Parameter isLight: whether the answer has only ids and versions. Such answers are cached and revalidated; the objects of
    ///   others are stored, so that a second copy in the cache would be useless.
    private func operation(_ url: String, isLight: Bool) -> ListOperation {
        ListOperation(
            Route(url: url), cache: isLight ? .noCache : .bypass,
            bodyLimit: ObjectListing.bodyLimit(environment.options.maxObjects),
            isReload: environment.options.full)
    }
}

extension ListCrawl.Purpose {
    /// Whether the pages have only ids and versions.
    fileprivate var isThin: Bool {
        switch self {
        case .all(let thin), .selection(_, _, let thin): thin
        case .changes: false
        }
    }
}

extension SourcePage {
    /// What the proof of the list needs.
    fileprivate var proof: ListPage {
        ListPage(
            rows.map { ListPage.Entry($0.id, version: $0.version, changed: $0.changed) }, skipped: skipped,
            total: total, pages: pages)
    }
}
