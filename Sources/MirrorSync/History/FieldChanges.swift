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

    package init(old: JSONObject, new: JSONObject) {
        let names = Set(old.keys.map(Name.init)).union(new.keys.map(Name.init)).map(\.text)
        changes = names.sorted(by: UTF8Order.precedes).compactMap { name in
            let change = Change(name: name, old: old[name], new: new[name])
            return change.old == change.new ? nil : change
        }
    }

    /// A name that equals only what has the same bytes, as in JSON.
    private struct Name: Hashable {
        let text: String
        init(_ text: String) { self.text = text }
        static func == (left: Name, right: Name) -> Bool { UTF8Order.equal(left.text, right.text) }
        func hash(into hasher: inout Hasher) { UTF8Order.hash(text, into: &hasher) }
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
        let before = Dictionary(early.map { (JSONValue.string($0.id), $0.entry) }, uniquingKeysWith: { $1 })
        let after = Dictionary(late.map { (JSONValue.string($0.id), $0.entry) }, uniquingKeysWith: { $1 })
        added = late.map(\.id).filter { before[.string($0)] == nil }
        removed = early.map(\.id).filter { after[.string($0)] == nil }
        changed = late.filter { before[.string($0.id)].map { [entry = $0.entry] in $0 != entry } ?? false }
            .map(\.id)
        let stayed = early.map(\.id).filter { after[.string($0)] != nil }
        isReordered = !stayed.elementsEqual(
            late.map(\.id).filter { before[.string($0)] != nil }, by: UTF8Order.equal)
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered }

    private static func entries(_ values: [JSONValue]) -> [(id: String, entry: JSONValue)] {
        values.compactMap { value in
            (value.objectValue?["id"]?.idText ?? value.idText).map { ($0, value) }
        }
    }
}
