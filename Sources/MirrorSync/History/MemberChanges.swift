import Catalogue
import MirrorStore

/// What differs between two states of a list: of ids, or of objects that have one.
package struct MemberChanges: Sendable, Hashable {
    package private(set) var added: [String] = []
    package private(set) var removed: [String] = []
    /// Members whose own entry is another now.
    package private(set) var changed: [String] = []
    /// Whether those that are in both stand in another order.
    package private(set) var isReordered = false

    /// Lists may have tens of thousands of members: each is looked up once.
    package init(old: [JSONValue], new: [JSONValue]) {
        let early = Self.entries(old), late = Self.entries(new)
        // One that is listed twice counts at its last place.
        let places = Dictionary(early.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { $1 })
        var isStill = [Bool](repeating: false, count: early.count)
        var order: [Int] = []
        for member in late {
            guard let place = places[member.id] else {
                added.append(member.id.text)
                continue
            }
            isStill[place] = true
            order.append(place)
            if early[place].entry != member.entry { changed.append(member.id.text) }
        }
        let before = early.compactMap { places[$0.id] }
        isReordered = before.filter { isStill[$0] } != order
        removed = zip(early, before).filter { !isStill[$1] }.map(\.0.id.text)
    }

    /// From the members as JSON texts; `nil` stands for none.
    ///
    /// - Throws: `JSONError` for what is no JSON.
    package init(old: String?, new: String?) throws {
        guard !ExactText.same(old, new) else {
            self.init(old: [], new: [])
            return
        }
        self.init(
            old: try JSONValue(parsing: old ?? "[]").arrayValue ?? [],
            new: try JSONValue(parsing: new ?? "[]").arrayValue ?? [])
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered }

    private static func entries(_ values: [JSONValue]) -> [(id: ExactText, entry: JSONValue)] {
        values.compactMap { value in
            (value.objectValue?["id"]?.idText ?? value.idText).map { (ExactText($0), value) }
        }
    }
}
