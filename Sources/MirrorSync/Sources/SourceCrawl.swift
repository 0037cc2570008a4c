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
    /// - Parameters:
    ///   - earlier: how far an earlier run has read the list, and the ids that it read; `nil`, the default, to begin.
    ///   - take: called with each page that was read, in order, and how far the crawl is then. Pages of a second reading are passed,
    ///     too.
    /// - Throws: the error of the first page, if none could be read; ``SyncError`` for errors that end the run; errors of `take`.
    func read(
        _ list: ListDescription, for purpose: ListCrawl.Purpose,
        continuing earlier: (progress: ListCrawl.Progress, ids: [String])? = nil,
        _ take: (SourcePage, ListCrawl.Progress?) async throws -> Void
    ) async throws -> Reading {
        var crawl = try ListCrawl(list, for: purpose)
        if let earlier { crawl.resume(earlier.progress, ids: Set(earlier.ids.map(ExactText.init))) }
        var first: (any Error)?, beganAt: Double?
        let isThin = purpose.isThin
        while let request = crawl.next {
            do {
                let operation = operation(request.url, isLight: isThin || list.form == .whole)
                let fetched = try await environment.send(operation)
                guard case .body(let response) = fetched else {
                    throw HTTPError(
                        .badResponse, "The server answered a page of its \(name.title) without content.")
                }
                let page = try environment.reading(operation) {
                    try source.catalogue.reader.page(response.body, of: kind, thin: isThin)
                }
                try environment.measured(fetched)
                beganAt = beganAt ?? fetched.madeAt
                environment.report.note { $0.listBytes += response.body.count }
                crawl.receive(page.listPage)
                let hasNoProblem = crawl.proof.problem == nil
                if hasNoProblem || !page.rows.isEmpty {
                    try await environment.identification.confirm(environment)
                }
                // A list with a problem is read from its beginning by the next run.
                try await take(page, hasNoProblem ? crawl.progress : nil)
            } catch let error as HTTPError {
                // A server that says that its list is gone for good has ended its service.
                if error.status == 410 { throw SyncError(.ended, Self.ended(name, error), cause: error) }
                first = first ?? error
                crawl.fail(error.message, isFinal: error.status == 404)
            } catch let error as SourceReadingError {
                first = first ?? LastingFailure(cause: SyncError(.badAnswer, error.message))
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
            bodyLimit: Self.bodyLimit, isReload: environment.options.full)
    }

    /// The largest page that is accepted, in bytes: a list of some millions of ids in one answer, which is kept in memory.
    private static let bodyLimit = 64 << 20

    private static func ended(_ name: ListName, _ error: HTTPError) -> String {
        "The server says that its \(name.title) is gone for good (410), so the service may have ended. Nothing was removed. Ask the museum for a new address."
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
