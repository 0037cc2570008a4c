import MirrorStore
import PartnerAPI

/// What differs between two states of an object, field by field. Values are compared as JSON values.
package struct FieldChanges: Sendable, Hashable {
    package struct Change: Sendable, Hashable {
        package let name: String
        /// `nil` where the object didn't have the field.
        package let old: JSONValue?
        package let new: JSONValue?
    }

    /// In the order of the names.
    package let changes: [Change]

    /// Members of objects stand in the order of their keys: one walk through both finds all.
    package init(old: JSONObject, new: JSONObject) {
        var changes: [Change] = []
        let early = old.members, late = new.members
        var left = 0, right = 0
        while left < early.count || right < late.count {
            let order =
                left == early.count
                ? 1 : right == late.count ? -1 : UTF8Order.compare(early[left].key, late[right].key)
            if order < 0 {
                changes.append(Change(name: early[left].key, old: early[left].value, new: nil))
                left += 1
            } else if order > 0 {
                changes.append(Change(name: late[right].key, old: nil, new: late[right].value))
                right += 1
            } else {
                if early[left].value != late[right].value {
                    changes.append(
                        Change(name: early[left].key, old: early[left].value, new: late[right].value))
                }
                left += 1
                right += 1
            }
        }
        self.changes = changes
    }
}

/// What differs between two states of a list: of ids, or of objects that have one.
package struct MemberChanges: Sendable, Hashable {
    package private(set) var added: [String] = []
    package private(set) var removed: [String] = []
    /// Members whose own entry is another now.
    package private(set) var changed: [String] = []
    /// Whether those that are in both stand in another order.
    package private(set) var isReordered = false

    package init(old: [JSONValue], new: [JSONValue]) {
        let early = Self.entries(old), late = Self.entries(new)
        // Lists may have tens of thousands of members: each is looked up once.
        var last: [ExactText: Int] = [:]
        last.reserveCapacity(early.count)
        for (place, member) in early.enumerated() { last[ExactText(member.id)] = place }
        var isStill = [Bool](repeating: false, count: early.count)
        var order: [Int] = []
        order.reserveCapacity(late.count)
        for member in late {
            guard let place = last[ExactText(member.id)] else {
                added.append(member.id)
                continue
            }
            isStill[place] = true
            order.append(place)
            if early[place].entry != member.entry { changed.append(member.id) }
        }
        var earlier: [Int] = []
        earlier.reserveCapacity(order.count)
        for (place, member) in early.enumerated() {
            // One that is listed twice stands for both at its last place.
            let stands = isStill[place] ? place : last[ExactText(member.id)] ?? place
            if isStill[stands] { earlier.append(stands) } else { removed.append(member.id) }
        }
        isReordered = earlier != order
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered }

    private static func entries(_ values: [JSONValue]) -> [(id: String, entry: JSONValue)] {
        values.compactMap { value in
            (value.objectValue?["id"]?.idText ?? value.idText).map { ($0, value) }
        }
    }
}
