import Catalogue
import MirrorHTTP
import MirrorStore

/// Reads a list that comes in pages, from page 1 until an empty one.
///
/// Pages shift under the reader: such a list is complete only if every page, asked again at the end, is unchanged and no
/// page repeated a member of another. That page 1 is would not do: what moves up from one page to the one before it, while the
/// reader is in between, is on neither.
struct PagedList: Sendable {
    let environment: SyncEnvironment
    let list: ListName
    /// Whether the objects themselves are wanted, or their ids alone.
    let keepsWhole: Bool
    /// Told of each page behind the first that a cache had kept.
    let weigh: @Sendable (Fetched) async throws -> Void
    let route: @Sendable (Int) -> Route

    /// Bytes of all pages whose objects are kept.
    private static let wholeLimit = 64 << 20

    init(
        environment: SyncEnvironment, list: ListName, keepsWhole: Bool = false,
        weigh: @escaping @Sendable (Fetched) async throws -> Void = { _ in },
        route: @escaping @Sendable (Int) -> Route
    ) {
        self.environment = environment
        self.list = list
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
        /// Elements that have no usable id.
        var unusable = UnusableElements()
    }

    /// - Parameter first: page 1, where it was asked for already.
    /// - Throws: ``HTTPError`` if a page failed or the list shifted; ``SyncError`` if it has too many members.
    func pages(first: Response? = nil) async throws -> Pages {
        let opening = if let first { first } else { try await page(1) }
        var bodies = [EntryDigest.of(opening.body)], madeAt = Fetched.body(opening).madeAt
        var unusable = UnusableElements()
        let start = try read(opening, 1, &unusable)
        var objects = start.objects
        var seen = Set(objects.compactMap { $0["id"]?.idText })
        var hasKept = false, spoilt: Set = start.isSpoilt ? [1] : []
        var number = 1, bytes = opening.body.count
        var isLast = start.isEmpty
        while !isLast {
            number += 1
            let next = try await page(number)
            let page = try read(next, number, &unusable), more = page.objects
            if page.isSpoilt { spoilt.insert(number) }
            bytes += next.body.count
            bodies.append(EntryDigest.of(next.body))
            let fetched = Fetched.body(next)
            madeAt = madeAt.flatMap { oldest in fetched.madeAt.map { min(oldest, $0) } }
            if fetched.isKept {
                hasKept = true
                try await weigh(fetched)
            }
            guard !keepsWhole || bytes <= Self.wholeLimit else {
                throw HTTPError(
                    .tooLarge,
                    "The pages of the server's \(list.title) have more than \(Self.wholeLimit) bytes. Report it to its owner."
                )
            }
            for object in more {
                guard let id = object["id"]?.idText, seen.insert(id).inserted else {
                    throw ListProblem.shifted(list)
                }
            }
            let limit = environment.options.maxObjects
            guard objects.count + more.count <= limit else { throw ListProblem.tooMany(list, limit: limit) }
            // Of elements that can't be used there may be as many, and no more: else such pages would never end.
            guard unusable.count <= limit else { throw ListProblem.tooMany(list, limit: limit) }
            objects += more
            isLast = page.isEmpty
        }
        guard number > 1 else { return Pages(madeAt: madeAt, hasKept: hasKept) }
        // Behind the last there is nothing to move up.
        for (place, body) in bodies.dropLast().enumerated() {
            let number = place + 1, again = try await page(number)
            if spoilt.contains(number) { environment.forget(operation(number).route) }
            guard EntryDigest.of(again.body) == body else { throw ListProblem.shifted(list) }
        }
        return Pages(objects: objects, madeAt: madeAt, hasKept: hasKept, unusable: unusable)
    }

    /// Pages are kept in the cache, but always validated: one that is unchanged costs a 304.
    func page(_ number: Int) async throws -> Response {
        let fetched = try await environment.send(operation(number), for: list)
        guard case .body(let response) = fetched else {
            throw HTTPError(
                .badResponse,
                "The server answered page \(number) of its \(list.title) without content. Try again.")
        }
        return response
    }

    private func operation(_ number: Int) -> FetchOperation {
        FetchOperation(route(number), cache: .noCache, isReload: environment.options.full)
    }

    /// What is on one page.
    private struct Page {
        var objects: [JSONObject] = []
        /// Whether it has no elements at all: the list ends before it.
        var isEmpty = true
        /// Whether one of them has no usable id.
        var isSpoilt = false
    }

    private func read(
        _ response: Response, _ number: Int, _ unusable: inout UnusableElements
    ) throws -> Page {
        var found = unusable
        let page = try environment.reading(operation(number)) { try read(response, number, noting: &found) }
        // A server that gives every body the same ETag would confirm such a page for ever.
        if page.isSpoilt { environment.forget(operation(number).route) }
        unusable = found
        return page
    }

    private func read(
        _ response: Response, _ number: Int, noting unusable: inout UnusableElements
    ) throws -> Page {
        var scanner = ListScanner()
        var page = Page(), position = 0
        do {
            try scanner.feed(response.body) { element in
                position += 1
                page.isEmpty = false
                guard let id = try? ListEntry.id(of: element), !keepsWhole || element.objectValue != nil
                else {
                    page.isSpoilt = true
                    return unusable.note(element, at: "element \(position) of page \(number)")
                }
                page.objects.append(keepsWhole ? element.objectValue ?? [:] : ["id": .string(id)])
            }
            try scanner.finish()
        } catch let error as JSONError {
            throw JSONBody.problem(response, of: list.title, cause: error)
        }
        return page
    }
}
