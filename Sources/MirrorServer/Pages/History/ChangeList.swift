import Catalogue
import MirrorStore

/// A page of a list of changes, newest first, with the link to earlier ones.
struct ChangeList {
    let entries: [ChangeEntry]
    /// The path of the page with earlier changes; `nil` on the last page.
    let earlier: String?
    private let isFirst: Bool
    /// Whether all changes are of one run, so that none repeats its time and its link.
    private let isOfRun: Bool

    static let pageSize = 40
    /// The end of a sentence whose subject is a run.
    static let loadedSnapshot =
        "loaded the catalogue as one snapshot, so its objects are counted, but not listed one by one."
    /// The bytes that all fields of a page may take, so that the page stays below 60 kB. The JSON has all fields.
    static let mostText = 16_000
    /// The item of the query that holds the change before which the page begins.
    static let parameter = "changes"

    /// - Parameters:
    ///   - address: the page's own address.
    ///   - query: the other items of its query.
    init(
        _ scope: ChangeScope, _ address: PageAddress, keeping query: [NameValue] = [], _ context: PageContext
    ) throws {
        let start = Self.position(context.target[Self.parameter])
        let page = try context.store.shownChanges(
            scope, to: context.face, before: start, limit: Self.pageSize)
        var entries = try ChangeEntry.entries(page.changes, context), left = Self.mostText
        for index in entries.indices { left -= entries[index].cutFields(to: left) }
        self.entries = entries
        isFirst = start == nil
        isOfRun = if case .run = scope { true } else { false }
        let last = page.hasMore ? page.changes.last?.seq : nil
        earlier = last.map { context.href(address, query + [NameValue(Self.parameter, "\($0)")]) }
    }

    /// A number from the query; `nil` for a forged one, which then is the first page.
    static func position(_ text: String?) -> Int64? {
        guard let text, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Whether the changes have times, whose zone is then said once.
    var hasTimes: Bool { !isOfRun && !entries.isEmpty }

    var shown: Shown {
        [
            "items": .many(entries.map { $0.shown.with(["isOfRun": .flag(isOfRun)]) }),
            "isEmpty": .flag(entries.isEmpty),
            "paging": .part(
                earlier == nil
                    ? nil
                    : [
                        "text": .string(isFirst ? "The newest \(CountText(entries.count).digits)" : ""),
                        "previous": false,
                        "both": false,
                        "next": .part([
                            "href": .string((earlier ?? "") + "#changes"), "text": "Earlier changes",
                        ]),
                    ]),
        ]
    }

    var json: JSONValue { .array(entries.map { .object($0.json) }) }
}
