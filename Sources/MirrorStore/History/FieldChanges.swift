import Catalogue

/// Compares two states of an object, field by field. Values are compared as JSON values.
package enum FieldChanges {
    /// The change of one field.
    package struct Change: Sendable, Hashable {
        package let name: String
        /// `nil` if the object didn't have the field; likewise ``new``.
        package let old: JSONValue?
        package let new: JSONValue?
    }

    /// The fields that differ, sorted by name.
    package static func between(_ old: JSONObject, _ new: JSONObject) -> [Change] {
        let other = old.members.filter { new[$0.key] != $0.value }
            .map { Change(name: $0.key, old: $0.value, new: new[$0.key]) }
        let added = new.members.filter { old[$0.key] == nil }
            .map { Change(name: $0.key, old: nil, new: $0.value) }
        return (other + added).sorted { UTF8Order.precedes($0.name, $1.name) }
    }
}
