import Catalogue
import MirrorHTTP
import MirrorStore

/// Reads the answer of a list request: ids, or ids with ETags, handed on in chunks.
///
/// An element without a usable id makes the list incomplete: what it stands for must not be swept. The others count. Where
/// members are objects to look at, one that is named again soon (within a chunk of 1,000 others) counts once, so that a list which names one object a
/// million times leads to one request.
struct ListIntake {
    let limit: Int
    let list: ListName
    /// Whether the same id may be meant twice, as in what belongs to an album.
    let repeats: Bool
    /// Whether validators were asked for. Where they weren't, whatever is more than an id is an object of a page, also one that
    /// has fields called as validators are.
    let hasValidators: Bool
    private(set) var count = 0
    /// Whether the server answered full objects where ids were asked for.
    private(set) var isPaged = false
    /// Elements that have no usable id.
    private(set) var unusable = UnusableElements()
    /// Elements so far, usable or not.
    private var position = 0
    private var chunk: [Member] = []
    /// The ids in `chunk`, exactly as they came: alike is not the same.
    private var seen: Set<ExactText> = []

    typealias Member = (id: String, etag: String?, lists: String?)

    init(limit: Int, list: ListName, repeats: Bool = false, hasValidators: Bool = false) {
        self.hasValidators = hasValidators
        self.limit = limit
        self.list = list
        self.repeats = repeats
    }

    mutating func scan(_ response: Response, _ store: ([Member], Int) throws -> Void) throws {
        var scanner = ListScanner()
        do {
            try scanner.feed(response.body) { element in
                position += 1
                guard let entry = try? ListEntry(element) else {
                    return unusable.note(element, at: "element \(position)")
                }
                try take(entry, element, store)
            }
            try scanner.finish()
        } catch let error as JSONError {
            throw JSONBody.problem(response, of: list.title, cause: error)
        }
        try pass(store)
    }

    private mutating func take(
        _ entry: ListEntry, _ element: JSONValue, _ store: ([Member], Int) throws -> Void
    ) throws {
        if isPageObject(entry, element) { isPaged = true }
        guard count + chunk.count < limit else { throw ListProblem.tooMany(list, limit: limit) }
        guard repeats || seen.insert(ExactText(entry.id)).inserted else { return }
        let lists = entry.lists.map { lists in
            JSONObject(lists.map { ($0.key, JSONValue.string($0.value)) }).canonicalText
        }
        chunk.append((id: entry.id, etag: entry.etag, lists: lists))
        if chunk.count == 1_000 { try pass(store) }
    }

    private func isPageObject(_ entry: ListEntry, _ element: JSONValue) -> Bool {
        guard hasValidators else { return element.objectValue != nil }
        // What has an ETag beside it is a member of a validators list, whatever else a newer server says of it.
        return entry.object != nil && entry.etag == nil && entry.lists == nil
    }

    private mutating func pass(_ store: ([Member], Int) throws -> Void) throws {
        guard !chunk.isEmpty else { return }
        try store(chunk, count)
        count += chunk.count
        chunk.removeAll(keepingCapacity: true)
        seen.removeAll(keepingCapacity: true)
    }
}
