import Catalogue
import MirrorStore

/// A page of a list of changes, newest first, with the links to earlier and later ones.
struct ChangeList {
    let entries: [ChangeEntry]
    /// The path of the page with earlier changes; `nil` on the last page.
    let earlier: String?
    /// The path of the page with later changes; `nil` on the first page.
    let later: String?
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
    /// The item of the query that holds the change after which the page ends.
    static let endParameter = "later"

    /// - Parameters:
    ///   - address: the page's own address.
    ///   - query: the other items of its query.
    init(
        _ scope: ChangeScope, _ address: PageAddress, keeping query: [NameValue] = [], _ context: PageContext
    ) throws {
        func changes(before: Int64? = nil, after: Int64? = nil, limit: Int = ChangeList.pageSize) throws -> (
            changes: [LoggedChange], hasMore: Bool
        ) {
            try context.store.shownChanges(
                scope, to: context.face, before: before, after: after, limit: limit)
        }
        func path(_ name: String, _ seq: Int64) -> String {
            context.href(address, query + [NameValue(name, "\(seq)")])
        }
        let start = Self.position(context.target[Self.parameter])
        let end = Self.position(context.target[Self.endParameter])
        let newer = try end.map { try changes(after: $0) }
        var page: (changes: [LoggedChange], hasMore: Bool)
        let mayHaveLater: Bool
        if let newer, newer.hasMore {
            page = newer
            page.hasMore =
                try newer.changes.last.map { try changes(before: $0.seq, limit: 0).hasMore } ?? false
            mayHaveLater = true
        } else {
            // The first page is always the newest, and full.
            page = try changes(before: newer == nil ? start : nil)
            mayHaveLater = newer == nil && start != nil
        }
        var entries = try ChangeEntry.entries(page.changes, context), left = Self.mostText
        for index in entries.indices { left -= entries[index].cutFields(to: left) }
        self.entries = entries
        isOfRun = if case .run = scope { true } else { false }
        earlier = page.hasMore ? page.changes.last.map { path(Self.parameter, $0.seq) } : nil
        let first = mayHaveLater ? page.changes.first?.seq : nil
        later = try first.flatMap { first in
            try changes(after: first, limit: 0).hasMore ? path(Self.endParameter, first) : nil
        }
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
                earlier == nil && later == nil
                    ? nil
                    : [
                        "text": .string(later == nil ? "The newest \(CountText(entries.count).digits)" : ""),
                        "previous": Self.link(later, "Later changes"),
                        "both": .flag(earlier != nil && later != nil),
                        "next": Self.link(earlier, "Earlier changes"),
                    ]),
        ]
    }

    private static func link(_ path: String?, _ text: String) -> Shown.Value {
        .part(path.map { ["href": .string($0 + "#changes"), "text": .string(text)] })
    }

    var json: JSONValue { .array(entries.map { .object($0.json) }) }

    /// Adds the links and the number of all changes, which is known if all are on one page.
    func addPaging(to json: inout JSONObject) {
        json["next"] = .some(earlier.map(JSONValue.string) ?? .null)
        json["previous"] = .some(later.map(JSONValue.string) ?? .null)
        let isAll = earlier == nil && later == nil
        json["total"] = .some(isAll ? .number(JSONNumber(entries.count)) : .null)
    }
}
