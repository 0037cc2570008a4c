import Catalogue

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
