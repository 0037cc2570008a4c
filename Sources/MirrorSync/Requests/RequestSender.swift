import Catalogue
import MirrorHTTP
import MirrorStore

/// Sends what the steps request. A sync's session sends everything; a dry run (``PlanSender``) answers from what is known
/// wherever that suffices. Steps don't know which of the two they have.
protocol RequestSender: Sendable {
    var session: InterceptableSession { get }

    func send(_ operation: FetchOperation) async throws -> Fetched
    func send(_ operation: WriteOperation) async throws -> Response

    /// Carries out an exchange that pushes an edit.
    /// - Parameters:
    ///   - writes: what it writes; `questions` how many requests come before.
    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws

    /// Fetches a file.
    /// - Returns: `nil` if it was not fetched, since nothing is to be stored.
    func file(_ download: FileDownload, isRetry: Bool) async throws -> FileDownload.Result?
}

extension InterceptableSession: RequestSender {
    var session: InterceptableSession { self }

    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws {
        try await exchange()
    }

    func file(_ download: FileDownload, isRetry: Bool) async throws -> FileDownload.Result? {
        try await download.fetch(isRetry: isRetry)
    }
}

/// What a request is for, and what is known of it beforehand.
enum RequestSubject: Sendable {
    /// The partner, its lists, and whatever else decides what there is to do.
    case directory
    /// An object, and what is stored of it.
    case object(Owner, ListedMember.Stored, announced: String?, joins: Bool, isPruned: Bool)
    /// A list under an object. `announced` is its ETag as the object's list has it, where that says something.
    case list(ObjectList, Owner, announced: String?, stored: ListState?)
    case document(Owner, StoredDocument?)
}

/// One answer for all steps of a run that want the same: who comes first asks, the others wait for it.
///
/// That the server doesn't offer it is an answer too; after any other failure the next one asks again.
actor SharedAnswer {
    private var answer: Result<Fetched, HTTPError>?
    private var isAsking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func fetched(_ ask: @Sendable () async throws -> Fetched) async throws -> Fetched {
        while true {
            if let answer { return try answer.get() }
            guard isAsking else { return try await first(ask) }
            await withCheckedContinuation { waiting.append($0) }
            try Task.checkCancellation()
        }
    }

    private func first(_ ask: @Sendable () async throws -> Fetched) async throws -> Fetched {
        isAsking = true
        defer {
            isAsking = false
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
        do {
            let fetched = try await ask()
            answer = .success(fetched)
            return fetched
        } catch let error as HTTPError where error.isNotOffered {
            answer = .failure(error)
            throw error
        }
    }
}

/// Sends a write: an album or a flag.
struct WriteOperation: DataOperation {
    let route: Route

    init(_ route: Route) { self.route = route }

    var endpoint: Request.Target { .relative(route.canonicalURL) }
    var method: String { route.method.rawValue }

    var data: [UInt8]? {
        switch route.body {
        case .form(let items): Array(FormBody.encode(items).utf8)
        case .json(let object): JSONValue.object(object).canonicalBytes
        case nil: nil
        }
    }

    var contentType: String? {
        if case .form = route.body { FormBody.contentType } else { "application/json" }
    }

    var headers: HeaderFields {
        HeaderFields([("Accept", "application/json")] + route.headers.map { ($0.name, $0.value) })
    }

    var cache: Request.CacheUse { .bypass }

    /// A create isn't repeated though it carries its key: not every server honours keys, so the album is looked for first.
    var isIdempotent: Bool? { route.method == .post ? false : nil }
}
