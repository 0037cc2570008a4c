import Catalogue
import CatalogueSources
import Testing

/// A server's list that changes between the requests of a crawl. It answers the URLs that the crawl makes of its description.
struct ChangingList {
    /// What happens to the list between two requests.
    enum Change: CaseIterable {
        case grow, shrink, move
    }

    /// What a server does wrong with one request.
    enum Fault: CaseIterable {
        case failure, rowWithoutID, lastAnswerAgain, lostRow, emptyPage
    }

    let description: ListDescription
    private(set) var rows: [ListPage.Entry] = []
    /// The ids that were in the list at each moment since ``beginCrawl()``.
    private(set) var stayed: Set<String> = []
    /// The ids of rows that were sent since then, and of the first answer.
    private(set) var sent: Set<String> = [], sentFirst: Set<String> = []
    private var lastAnswer: ListPage?
    private var hasAnswered = false
    private var tick = 0
    private var removed: [String] = []
    var random: SplitMix

    init(_ description: ListDescription, rows count: Int, seed: UInt64) {
        self.description = description
        random = SplitMix(state: seed)
        for _ in 0..<count { grow() }
    }

    var ids: Set<String> { Set(rows.map(\.id)) }

    mutating func beginCrawl() {
        stayed = ids
        (sent, sentFirst, lastAnswer, hasAnswered) = ([], [], nil, false)
    }

    // MARK: - Changes

    /// Changes the list. Rows that may be removed are those for which `isRemovable` is true.
    mutating func change(_ change: Change, isRemovable: (String) -> Bool = { _ in true }) {
        switch change {
        case .grow: grow()
        case .shrink:
            let removable = rows.indices.filter { isRemovable(rows[$0].id) }
            guard let place = removable.randomElement(using: &random) else { return }
            let id = rows.remove(at: place).id
            stayed.remove(id)
            removed.append(id)
        case .move:
            guard let place = rows.indices.randomElement(using: &random) else { return }
            insert(rows.remove(at: place).id)
        }
    }

    /// An object that was removed is in the list again.
    mutating func restore() {
        guard let place = removed.indices.randomElement(using: &random) else { return }
        insert(removed.remove(at: place))
    }

    private mutating func grow() { insert("id-\(tick + 1)") }

    private mutating func insert(_ id: String) {
        tick += 1
        let time = Timestamp(seconds: 1_700_000_000 + tick).text
        let place = description.isNewestFirst ? 0 : Int.random(in: 0...rows.count, using: &random)
        rows.insert(ListPage.Entry(id, version: "v\(tick)", changed: time), at: place)
    }

    // MARK: - Answers

    /// The answer to a request; `nil` for a failure.
    mutating func answer(_ url: String, _ fault: Fault? = nil) -> ListPage? {
        let size = description.size ?? max(rows.count, 1)
        let start = Self.number("offset", in: url) ?? ((Self.number("page", in: url) ?? 1) - 1) * size
        var page = ListPage(Array(rows.dropFirst(start).prefix(size)))
        switch fault {
        case .failure: return nil
        case .rowWithoutID where !page.entries.isEmpty:
            page.entries.removeLast()
            page.skipped = 1
        case .lastAnswerAgain: page = lastAnswer ?? page
        case .lostRow where !page.entries.isEmpty: page.entries.removeFirst()
        case .emptyPage: page.entries = []
        default: break
        }
        lastAnswer = page
        page.total = description.total == nil ? nil : rows.count
        page.pages = description.pages == nil ? nil : (rows.count + size - 1) / size
        sent.formUnion(page.entries.map(\.id))
        if !hasAnswered { sentFirst = sent }
        hasAnswered = true
        return page
    }

    private static func number(_ name: String, in url: String) -> Int? {
        url.split(whereSeparator: "?&".contains).first { $0.hasPrefix("\(name)=") }
            .flatMap { Int($0.dropFirst(name.count + 1)) }
    }
}

/// The shape of a list, for tables of tests.
struct ListShape: CustomTestStringConvertible, Sendable {
    var form: ListDescription.Form
    var hasTotal = false, hasPages = false, isNewestFirst = false

    static let all: [ListShape] = [ListDescription.Form.page, .offset].flatMap { form in
        [(true, false), (true, true), (false, false), (false, true)].flatMap { total, pages in
            [false, true].map {
                ListShape(form: form, hasTotal: total, hasPages: pages, isNewestFirst: $0)
            }
        }
    }

    func description(size: Int) throws -> ListDescription {
        let get =
            switch form {
            case .whole: "/list"
            case .page: "/list?page={page}&size={size}"
            case .offset: "/list?offset={offset}&size={size}"
            }
        var list = ListDescription(form: form, get: try URLTemplate(get), rows: SourceQuery("SELECT 1 AS id"))
        list.size = form == .whole ? nil : size
        list.total = hasTotal ? SourceQuery("SELECT 1") : nil
        list.pages = hasPages ? SourceQuery("SELECT 1") : nil
        list.isNewestFirst = isNewestFirst
        return list
    }

    var testDescription: String {
        form.rawValue + (hasTotal ? ", total" : "") + (hasPages ? ", pages" : "")
            + (isNewestFirst ? ", newest first" : "")
    }
}

/// Random numbers with a seed (SplitMix64).
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 up to, but not including, a bound.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
