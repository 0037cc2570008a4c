import Catalogue
import MirrorHTTP
import MirrorStore

/// Reads a list's answer and passes its entries on in chunks.
///
/// An element without a usable id makes the list incomplete: the element's object must not be swept. The other elements are
/// still read. In a partner's own list, an id that is repeated within a chunk of 1,000 entries counts once, so that a list
/// that names one object a million times doesn't lead to a million requests.
struct ListReader {
    typealias Member = (id: String, etag: String?, lists: String?)

    private let environment: SyncEnvironment
    private let list: ListName
    private(set) var count = 0
    /// Whether the server answered with one page of full objects instead of the complete list of ids.
    private(set) var isPage = false
    /// The number of members in the whole list; `nil` if the server doesn't state it.
    private(set) var total: Int?
    /// Elements that have no usable id.
    private(set) var unusable = UnusableElements()
    /// The number of elements read so far, usable or not.
    private var position = 0
    private var chunk: [Member] = []
    /// The ids in `chunk`, compared byte by byte: `String` equality would merge different Unicode spellings.
    private var seen: Set<ExactText> = []

    init(_ environment: SyncEnvironment, list: ListName) {
        (self.environment, self.list) = (environment, list)
    }

    mutating func read(_ response: Response, _ store: ([Member], Int) throws -> Void) throws {
        do {
            let info = try environment.source(of: list).readList(response.body) { try add($0, store) }
            (isPage, total) = (info.isPage, info.total)
        } catch let error as JSONError {
            throw JSONBody.problem(response, of: list.title, cause: error)
        }
        try flush(store)
    }

    private mutating func add(_ element: ListElement, _ store: ([Member], Int) throws -> Void) throws {
        position += 1
        guard let entry = element.entry else {
            return unusable.note(element.value, at: "element \(position)")
        }
        let limit = environment.options.maxObjects
        guard count + chunk.count < limit else { throw ListProblem.tooMany(list, limit: limit) }
        // A membership list may name the same id twice on purpose, as an album's artworks do.
        guard !list.isOwn || seen.insert(ExactText(entry.id)).inserted else { return }
        chunk.append(Self.member(entry))
        if chunk.count == 1_000 { try flush(store) }
    }

    static func member(_ entry: ListEntry) -> Member {
        let lists = entry.lists.map { lists in
            JSONObject(lists.map { ($0.key, JSONValue.string($0.value)) }).canonicalText
        }
        return (id: entry.id, etag: entry.etag, lists: lists)
    }

    private mutating func flush(_ store: ([Member], Int) throws -> Void) throws {
        guard !chunk.isEmpty else { return }
        try store(chunk, count)
        count += chunk.count
        chunk.removeAll(keepingCapacity: true)
        seen.removeAll(keepingCapacity: true)
    }
}

/// Reads a list page by page, from page 1 until its total is reached or a page is empty.
///
/// The list may change while it is read. It is complete only if no page repeats a member of another, and if every page is
/// unchanged when it is requested again at the end. It isn't enough that page 1 is unchanged: a member that moves from page 3
/// to page 2 after page 2 was read, and before page 3 is read, would be on neither.
struct PagedList: Sendable {
    let environment: SyncEnvironment
    let list: ListName
    /// Whether the full objects are kept, or only their ids.
    var keepsObjects = false
    /// Called with each page after the first that a cache answered.
    var check: @Sendable (Fetched) async throws -> Void = { _ in }
    let route: @Sendable (Int) -> Route?

    /// The most bytes that all pages together may have, if their objects are kept.
    private static let keptLimit = 64 << 20

    /// The content of all pages together.
    struct Pages: Sendable {
        var entries: [ListEntry] = []
        /// One for each of ``entries``, if objects are kept; otherwise empty.
        var objects: [JSONObject] = []
        /// When the server made the oldest page, in seconds since 1970; `nil` if that is unknown for any page.
        var madeAt: Double?
        /// Whether a cache answered a page after the first: that page may be older than the first.
        var hasCachedPage = false
        /// Elements that have no usable id.
        var unusable = UnusableElements()
    }

    /// - Parameter first: page 1, if it was already requested.
    /// - Throws: ``HTTPError`` if a page failed or the list shifted; ``SyncError`` if it has too many members.
    func pages(first: Response? = nil) async throws -> Pages {
        let opening: Response
        if let first { opening = first } else { opening = try await page(1) }
        var digests: [String] = [], pagesWithUnusable: Set<Int> = [], seen: Set<String> = []
        var result = Pages(madeAt: Fetched.body(opening).madeAt)
        var response = opening, number = 1, bytes = 0, isEndEmpty = false
        while true {
            let page = try read(response, number, &result.unusable)
            if page.hasUnusable { pagesWithUnusable.insert(number) }
            bytes += response.body.count
            digests.append(EntryDigest.of(response.body))
            guard !keepsObjects || bytes <= Self.keptLimit else {
                throw HTTPError(
                    .tooLarge,
                    "The pages of the server's \(list.title) have more than \(Self.keptLimit) bytes. Report it to its owner."
                )
            }
            for entry in page.entries where !seen.insert(entry.id).inserted && number > 1 {
                throw ListProblem.shifted(list)
            }
            let limit = environment.options.maxObjects
            guard result.entries.count + page.entries.count <= limit, result.unusable.count <= limit else {
                throw ListProblem.tooMany(list, limit: limit)
            }
            result.entries += page.entries
            result.objects += page.objects
            isEndEmpty = page.isEmpty
            if page.isEmpty || page.total.map({ result.entries.count >= $0 }) ?? false { break }
            number += 1
            response = try await self.page(number)
            let fetched = Fetched.body(response)
            result.madeAt = result.madeAt.flatMap { oldest in fetched.madeAt.map { min(oldest, $0) } }
            if fetched.isKept {
                result.hasCachedPage = true
                try await check(fetched)
            }
        }
        guard number > 1 else { return result }
        // An empty page at the end has no members that could have moved.
        for (index, digest) in digests.dropLast(isEndEmpty ? 1 : 0).enumerated() {
            let number = index + 1, again = try await page(number)
            // A page with unusable elements must not stay in the cache; this request has just cached it again.
            if pagesWithUnusable.contains(number) { environment.forget(try operation(number).route) }
            guard EntryDigest.of(again.body) == digest else { throw ListProblem.shifted(list) }
        }
        return result
    }

    func page(_ number: Int) async throws -> Response {
        guard case .body(let response) = try await fetch(number) else {
            throw HTTPError(
                .badResponse,
                "The server answered page \(number) of its \(list.title) without content. Try again.")
        }
        return response
    }

    func fetch(_ number: Int, subject: RequestSubject = .directory) async throws -> Fetched {
        try await environment.send(try operation(number, subject: subject), for: list)
    }

    /// Pages are cached, but always revalidated: an unchanged page costs a 304.
    private func operation(_ number: Int, subject: RequestSubject = .directory) throws -> ListOperation {
        guard let route = route(number) else {
            throw HTTPError(.badResponse, "The server's \(list.title) has no page \(number).")
        }
        return ListOperation(route, cache: .noCache, isReload: environment.options.full, subject: subject)
    }

    /// The content of one page.
    private struct Page {
        var entries: [ListEntry] = []
        var objects: [JSONObject] = []
        /// Whether it has no elements at all: the list has ended.
        var isEmpty = true
        /// Whether at least one element has no usable id.
        var hasUnusable = false
        var total: Int?
    }

    private func read(_ response: Response, _ number: Int, _ unusable: inout UnusableElements) throws -> Page
    {
        var found = unusable, page = Page(), position = 0
        let operation = try operation(number)
        try environment.reading(operation) {
            do {
                page.total = try environment.source(of: list).readList(response.body) { element in
                    position += 1
                    page.isEmpty = false
                    guard let entry = element.entry, !keepsObjects || element.value.objectValue != nil else {
                        page.hasUnusable = true
                        return found.note(element.value, at: "element \(position) of page \(number)")
                    }
                    page.entries.append(ListEntry(id: entry.id, etag: entry.etag, lists: entry.lists))
                    if keepsObjects { page.objects.append(element.value.objectValue ?? [:]) }
                }.total
            } catch let error as JSONError {
                throw JSONBody.problem(response, of: list.title, cause: error)
            }
        }
        if page.hasUnusable { environment.forget(operation.route) }
        unusable = found
        return page
    }
}
