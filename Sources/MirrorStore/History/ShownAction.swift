import Catalogue

/// What happened to an object, as visitors see it.
///
/// To visitors, an object that is no longer hidden is new.
package enum ShownAction: Int, Sendable, Hashable, CaseIterable {
    case created = 1
    case updated = 2
    case deleted = 3
}

/// A change of an object as a face sees it: both states without what is hidden from the face.
package struct SeenChange: Sendable {
    package let action: ShownAction
    /// `nil` if the object didn't exist, or was hidden.
    package let before: JSONObject?
    package let after: JSONObject?

    /// `nil` if the face sees nothing of the change: the object is hidden, or only hidden fields changed.
    package init?(_ kind: Kind, before: JSONObject?, after: JSONObject?, to face: Face) {
        self.before = Self.seen(before, kind, face)
        self.after = Self.seen(after, kind, face)
        switch (self.before, self.after) {
        case (nil, nil): return nil
        case (nil, _?): action = .created
        case (_?, nil): action = .deleted
        case (let old?, let new?):
            guard face.seesAll || !FieldChanges.between(old, new).isEmpty else { return nil }
            action = .updated
        }
    }

    /// The fields that differ; empty if the object was created or deleted.
    package var fields: [FieldChanges.Change] {
        if let before, let after { FieldChanges.between(before, after) } else { [] }
    }

    private static func seen(_ json: JSONObject?, _ kind: Kind, _ face: Face) -> JSONObject? {
        guard let json, face.shows(json, of: kind) else { return nil }
        guard !face.seesAll else { return json }
        return JSONObject(
            face.visible(json, of: kind).members.filter { !isLeftOut($0.key) }.map { ($0.key, $0.value) })
    }

    /// The time of the latest change would show that a hidden field changed; so would the original fields of an imported
    /// catalogue, whose names are unknown.
    static func isLeftOut(_ field: String) -> Bool {
        field == "updated_at" || field.hasSuffix("_updated_at") || field == CatalogueMapping.originalsKey
    }
}
