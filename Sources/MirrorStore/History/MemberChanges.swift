import Catalogue

/// Compares two states of a list: of ids, or of objects with ids.
package struct MemberChanges: Sendable, Hashable {
    package private(set) var added: [String] = []
    package private(set) var removed: [String] = []
    /// Members of both states whose entry changed.
    package private(set) var changed: [String] = []
    /// Whether the members of both states have another order.
    package private(set) var isReordered = false
    /// The members of both states in their earlier order, and in their later one; empty unless ``isReordered``.
    package private(set) var reordered: [String] = []
    private var newOrder: [String] = []

    /// Compares two lists in linear time, because lists may have tens of thousands of members.
    package init(old: [JSONValue], new: [JSONValue]) {
        let oldEntries = Self.entries(old), newEntries = Self.entries(new)
        // A member that is listed twice has its last position.
        let positions = Dictionary(oldEntries.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { $1 })
        var isInBoth = [Bool](repeating: false, count: oldEntries.count)
        var order: [Int] = []
        for member in newEntries {
            guard let position = positions[member.id] else {
                added.append(member.id.text)
                continue
            }
            isInBoth[position] = true
            order.append(position)
            if oldEntries[position].entry != member.entry { changed.append(member.id.text) }
        }
        let oldOrder = oldEntries.compactMap { positions[$0.id] }
        let common = oldOrder.filter { isInBoth[$0] }
        isReordered = common != order
        if isReordered {
            reordered = common.map { oldEntries[$0].id.text }
            newOrder = order.map { oldEntries[$0].id.text }
        }
        removed = zip(oldEntries, oldOrder).filter { !isInBoth[$1] }.map(\.0.id.text)
    }

    /// Compares two lists in JSON; `nil` is an empty list.
    ///
    /// - Throws: `JSONError` if a text is not JSON.
    package init(old: String?, new: String?) throws {
        guard !ExactText.same(old, new) else {
            self.init(old: [], new: [])
            return
        }
        self.init(
            old: try JSONValue(parsing: old ?? "[]").arrayValue ?? [],
            new: try JSONValue(parsing: new ?? "[]").arrayValue ?? [])
    }

    /// The same with only those added, removed and changed members that a condition permits, such as those that a face may see.
    package func filtered(_ isShown: (String) throws -> Bool) rethrows -> MemberChanges {
        var shown = self
        shown.added = try added.filter(isShown)
        shown.removed = try removed.filter(isShown)
        shown.changed = try changed.filter(isShown)
        shown.reordered = try reordered.filter(isShown)
        shown.newOrder = try newOrder.filter(isShown)
        shown.isReordered = !zip(shown.reordered, shown.newOrder).allSatisfy { UTF8Order.equal($0, $1) }
        return shown
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered }

    private static func entries(_ values: [JSONValue]) -> [(id: ExactText, entry: JSONValue)] {
        values.compactMap { value in
            (value.objectValue?["id"]?.idText ?? value.idText).map { (ExactText($0), value) }
        }
    }
}
