import MirrorHTTP
import PartnerAPI

/// Reads a list that comes in pages, from page 1 until an empty one.
///
/// Pages shift under the reader: such a list is complete only if every page, asked again at the end, is unchanged and no
/// page repeated a member of another. That page 1 is would not do: what moves up from one page to the one before it, while the
/// reader is in between, is on neither.
struct PagedList: Sendable {
    let environment: SyncEnvironment
    /// Whether the objects themselves are wanted, or their ids alone.
    let keepsWhole: Bool
    /// Told of each page behind the first that a cache had kept.
    let weigh: @Sendable (Fetched) async throws -> Void
    let route: @Sendable (Int) -> Route

    /// Bytes of all pages whose objects are kept.
    private static let wholeLimit = 64 << 20

    init(
        environment: SyncEnvironment, keepsWhole: Bool = false,
        weigh: @escaping @Sendable (Fetched) async throws -> Void = { _ in },
        route: @escaping @Sendable (Int) -> Route
    ) {
        self.environment = environment
        self.keepsWhole = keepsWhole
        self.weigh = weigh
        self.route = route
    }

    /// The objects of all pages; nothing but their ids, unless the whole of them is kept.
    struct Pages: Sendable {
        var objects: [JSONObject] = []
        /// When the server made the oldest of the pages, in seconds since 1970; `nil` if it didn't say of one.
        var madeAt: Double?
        /// Whether a cache had kept a page behind the first: it may be older than that one.
        var hasKept = false
    }

    /// - Parameter first: page 1, where it was asked for already.
    /// - Throws: ``HTTPError`` if a page failed or the list shifted.
    func objects(first: Response? = nil) async throws -> [JSONObject] {
        try await pages(first: first).objects
    }

    /// The same, with their age.
    func pages(first: Response? = nil) async throws -> Pages {
        let opening = if let first { first } else { try await page(1) }
        var bodies = [Digest.short(of: opening.body)], madeAt = Fetched.body(opening).madeAt
        var objects = try read(opening, 1)
        var seen = Set(objects.compactMap { $0["id"]?.idText })
        var hasKept = false
        var number = 1, bytes = opening.body.count
        var isLast = objects.isEmpty
        while !isLast {
            number += 1
            let next = try await page(number)
            let more = try read(next, number)
            bytes += next.body.count
            bodies.append(Digest.short(of: next.body))
            let fetched = Fetched.body(next)
            madeAt = madeAt.flatMap { oldest in fetched.madeAt.map { min(oldest, $0) } }
            if fetched.isKept {
                hasKept = true
                try await weigh(fetched)
            }
            guard !keepsWhole || bytes <= Self.wholeLimit else {
                throw HTTPError(
                    .tooLarge, "The pages of a list at the server have more than \(Self.wholeLimit) bytes.")
            }
            for object in more {
                guard let id = object["id"]?.idText, seen.insert(id).inserted else { throw Self.shifted }
            }
            guard objects.count + more.count <= environment.options.maxObjects else {
                throw SyncError(
                    .tooMany,
                    "A paged list has more than \(environment.options.maxObjects) members. If that is right, run again with a larger --max-objects."
                )
            }
            objects += more
            isLast = more.isEmpty
        }
        guard !objects.isEmpty else { return Pages(madeAt: madeAt, hasKept: hasKept) }
        // Behind the last there is nothing to move up.
        for (place, body) in bodies.dropLast().enumerated() {
            guard try await Digest.short(of: page(place + 1).body) == body else { throw Self.shifted }
        }
        return Pages(objects: objects, madeAt: madeAt, hasKept: hasKept)
    }

    /// Pages are kept in the cache, but always validated: one that is unchanged costs a 304.
    func page(_ number: Int) async throws -> Response {
        let fetched = try await environment.send(operation(number))
        guard case .body(let response) = fetched else {
            throw HTTPError(.badResponse, "The server answered a page without content. Try again.")
        }
        return response
    }

    private func operation(_ number: Int) -> FetchOperation { FetchOperation(route(number), cache: .noCache) }

    private func read(_ response: Response, _ number: Int) throws -> [JSONObject] {
        try environment.reading(operation(number)) { try read(response) }
    }

    private func read(_ response: Response) throws -> [JSONObject] {
        var scanner = ListScanner()
        var objects: [JSONObject] = []
        do {
            try scanner.feed(response.body) { element in
                guard let object = element.objectValue, let id = object["id"]?.idText else {
                    throw HTTPError(
                        .notJSON,
                        "A page of the server's list has an element without an id, so the list was left as it is. Tell its owner."
                    )
                }
                objects.append(keepsWhole ? object : ["id": .string(id)])
            }
            try scanner.finish()
        } catch let error as JSONError {
            throw JSONBody.problem(response, cause: error)
        }
        return objects
    }

    private static let shifted = HTTPError(
        .badResponse, "The server's list shifted while it was read page by page. It is read again next time.")
}
