import Catalogue
import MirrorHTTP
import MirrorStore

/// Reads the answer of a list request: entries, handed on in chunks.
///
/// An element without a usable id makes the list incomplete: what it stands for must not be swept. The others count. Where
/// members are objects to look at, one that is named again soon (within a chunk of 1,000 others) counts once, so that a list
/// which names one object a million times leads to one request.
struct ListReader {
    typealias Member = (id: String, etag: String?, lists: String?)

    private let environment: SyncEnvironment
    private let list: ListName
    private(set) var count = 0
    /// Whether the server answered one page of whole objects where the whole list was requested.
    private(set) var isPage = false
    /// How many members the list has, if the server says so.
    private(set) var total: Int?
    /// Elements that have no usable id.
    private(set) var unusable = UnusableElements()
    /// Elements so far, usable or not.
    private var position = 0
    private var chunk: [Member] = []
    /// The ids in `chunk`, exactly as they came: alike is not the same.
    private var seen: Set<ExactText> = []

    init(_ environment: SyncEnvironment, list: ListName) {
        (self.environment, self.list) = (environment, list)
    }

    mutating func read(_ response: Response, _ store: ([Member], Int) throws -> Void) throws {
        do {
            let info = try environment.source(of: list).readList(response.body) { try take($0, store) }
            (isPage, total) = (info.isPage, info.total)
        } catch let error as JSONError {
            throw JSONBody.problem(response, of: list.title, cause: error)
        }
        try pass(store)
    }

    private mutating func take(_ element: ListElement, _ store: ([Member], Int) throws -> Void) throws {
        position += 1
        guard let entry = element.entry else {
            return unusable.note(element.value, at: "element \(position)")
        }
        let limit = environment.options.maxObjects
        guard count + chunk.count < limit else { throw ListProblem.tooMany(list, limit: limit) }
        // The same id may be meant twice under an object, as in what belongs to an album.
        guard !list.isOwn || seen.insert(ExactText(entry.id)).inserted else { return }
        chunk.append(Self.member(entry))
        if chunk.count == 1_000 { try pass(store) }
    }

    static func member(_ entry: ListEntry) -> Member {
        let lists = entry.lists.map { lists in
            JSONObject(lists.map { ($0.key, JSONValue.string($0.value)) }).canonicalText
        }
        return (id: entry.id, etag: entry.etag, lists: lists)
    }

    private mutating func pass(_ store: ([Member], Int) throws -> Void) throws {
        guard !chunk.isEmpty else { return }
        try store(chunk, count)
        count += chunk.count
        chunk.removeAll(keepingCapacity: true)
        seen.removeAll(keepingCapacity: true)
    }
}

/// Reads a list that comes in pages, from page 1 until its total is reached, or else an empty one.
///
/// Pages shift under the reader: such a list is complete only if every page, requested again at the end, is unchanged and no
/// page repeated a member of another. That page 1 is would not do: what moves up from one page to the one before it, while the
/// reader is in between, is on neither.
struct PagedList: Sendable {
    let environment: SyncEnvironment
    let list: ListName
    /// Whether the objects themselves are wanted, or their ids alone.
    var keepsObjects = false
    /// Called with each page behind the first that a cache had kept.
    var check: @Sendable (Fetched) async throws -> Void = { _ in }
    let route: @Sendable (Int) -> Route?

    /// Bytes of all pages whose objects are kept.
    private static let keptLimit = 64 << 20

    /// What all pages have.
    struct Pages: Sendable {
        var entries: [ListEntry] = []
        /// One for each of ``entries``, if they are kept.
        var objects: [JSONObject] = []
        /// When the server made the oldest of the pages, in seconds since 1970; `nil` if it didn't say of one.
        var madeAt: Double?
        /// Whether a cache had kept a page behind the first: it may be older than that one.
        var hasKept = false
        /// Elements that have no usable id.
        var unusable = UnusableElements()
    }

    /// - Parameter first: page 1, where it was requested already.
    /// - Throws: ``HTTPError`` if a page failed or the list shifted; ``SyncError`` if it has too many members.
    func pages(first: Response? = nil) async throws -> Pages {
        let opening: Response
        if let first { opening = first } else { opening = try await page(1) }
        var bodies: [String] = [], spoilt: Set<Int> = [], seen: Set<String> = []
        var result = Pages(madeAt: Fetched.body(opening).madeAt)
        var response = opening, number = 1, bytes = 0, isEndEmpty = false
        while true {
            let page = try read(response, number, &result.unusable)
            if page.isSpoilt { spoilt.insert(number) }
            bytes += response.body.count
            bodies.append(EntryDigest.of(response.body))
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
                result.hasKept = true
                try await check(fetched)
            }
        }
        guard number > 1 else { return result }
        // An empty page at the end says nothing of the others.
        for (place, body) in bodies.dropLast(isEndEmpty ? 1 : 0).enumerated() {
            let number = place + 1, again = try await page(number)
            // What can't be read in full doesn't stay in the cache, nor does it when it comes again.
            if spoilt.contains(number) { environment.forget(try operation(number).route) }
            guard EntryDigest.of(again.body) == body else { throw ListProblem.shifted(list) }
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

    /// Pages are kept in the cache, but always validated: one that is unchanged costs a 304.
    private func operation(_ number: Int, subject: RequestSubject = .directory) throws -> ListOperation {
        guard let route = route(number) else {
            throw HTTPError(.badResponse, "The server's \(list.title) has no page \(number).")
        }
        return ListOperation(route, cache: .noCache, isReload: environment.options.full, subject: subject)
    }

    /// What is on one page.
    private struct Page {
        var entries: [ListEntry] = []
        var objects: [JSONObject] = []
        /// Whether it has no elements at all: the list ends before it.
        var isEmpty = true
        /// Whether one of them has no usable id.
        var isSpoilt = false
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
                        page.isSpoilt = true
                        return found.note(element.value, at: "element \(position) of page \(number)")
                    }
                    page.entries.append(ListEntry(id: entry.id, etag: entry.etag, lists: entry.lists))
                    if keepsObjects { page.objects.append(element.value.objectValue ?? [:]) }
                }.total
            } catch let error as JSONError {
                throw JSONBody.problem(response, of: list.title, cause: error)
            }
        }
        if page.isSpoilt { environment.forget(operation.route) }
        unusable = found
        return page
    }
}
