import Catalogue

/// Who looks at the pages of a mirror, which decides what may be shown.
///
/// This is the only place that knows what is hidden. Lists, searches, counts and JSON ask it.
package enum Face: String, Sendable, Hashable, CaseIterable {
    /// Everybody: no prices, confidential notes, private albums, notes, administrator or user.
    case visitors
    /// The partner's own people, who see everything.
    case staff

    /// Whether this face sees everything.
    package var seesAll: Bool { self == .staff }

    // MARK: - Objects

    /// Whether objects of a kind may be seen at all.
    package func shows(_ kind: Kind) -> Bool { seesAll || kind != .user }

    /// Whether an object may be seen. An artwork is hidden only if `published` is `false`, an album if `private` is `true`.
    package func shows(_ json: JSONObject, of kind: Kind) -> Bool {
        guard !seesAll else { return true }
        switch kind {
        case .artwork: return Self.flag(json["published"]) != false
        case .album: return Self.flag(json["private"]) != true
        default: return shows(kind)
        }
    }

    /// Whether notes that were written in the mirror may be seen.
    package var showsNotes: Bool { seesAll }

    /// Whether lists can be filtered by a facet.
    package func offers(_ facet: Facet) -> Bool {
        seesAll || facet != .availability && !Self.isHidden(facet.field ?? "", of: .artwork)
    }

    /// SQL: whether a row of a kind's table, or of its alias `row`, is hidden from visitors. 0 or 1.
    static func isHidden(_ kind: Kind, _ row: String) -> String {
        switch kind {
        case .artwork: "\(row).published IS 0"
        case .album: "\(row).private IS 1"
        case .user: "1"
        default: "0"
        }
    }

    /// Whether objects of a kind can be hidden from visitors one by one.
    static func hidesSome(of kind: Kind) -> Bool { isHidden(kind, "o") != "0" }

    /// SQL: whether this face may see a row of a kind's table, or of its alias `row`. 0 or 1.
    func isVisible(_ kind: Kind, _ row: String) -> String {
        seesAll ? "1" : "NOT (\(Self.isHidden(kind, row)))"
    }

    // MARK: - Fields

    /// The object without the fields that this face may not see, also inside nested objects and arrays.
    ///
    /// - Parameter kind: the kind of `json`.
    package func visible(_ json: JSONObject, of kind: Kind) -> JSONObject {
        seesAll ? json : Self.visible(json, hiding: Self.hiddenFields(of: kind))
    }

    /// The value of a field, such as a list of edition sets, without what this face may not see; `nil` if the field is hidden.
    package func visible(_ value: JSONValue, of field: String, in kind: Kind) -> JSONValue? {
        guard !seesAll else { return value }
        return Self.isHidden(field, of: kind) ? nil : Self.visible(value, hiding: Self.hiddenFields(of: kind))
    }

    /// The fields of a kind that visitors may not see. A name that contains one of ``hiddenParts`` is hidden in every kind.
    static func hiddenFields(of kind: Kind) -> Set<String> {
        switch kind {
        case .partner:
            ["admin", "contract_type", "subscription_plans_names", "relative_size", "partner_flags"]
        case .user: ["name", "type", "email"]
        // It contains hidden artworks. Pages list an album's artworks themselves.
        case .album: ["artwork_ids"]
        default: []
        }
    }

    /// Parts of names of fields that tell a price or something confidential, wherever they occur.
    private static let hiddenParts = ["price", "confidential", "internal_", "private_"]
    /// Words of names of fields that do so: `list_cost` and `insuranceValue`, but not `costume`.
    private static let hiddenWords: Set<String> = [
        "admin", "appraisal", "cost", "costs", "insurance", "insured", "internal", "notes", "private", "sale",
        "sales",
        "valuation", "value",
    ]

    /// Whether visitors may not see a field. Names are compared without regard to case.
    static func isHidden(_ field: String, of kind: Kind) -> Bool {
        isHidden(field, hiding: hiddenFields(of: kind))
    }

    private static func isHidden(_ field: String, hiding fields: Set<String>) -> Bool {
        let name = FieldName(field)
        return fields.contains(name.text) || hiddenParts.contains(where: name.contains)
            || name.words.contains(where: hiddenWords.contains)
    }

    private static func visible(_ json: JSONObject, hiding fields: Set<String>) -> JSONObject {
        JSONObject(
            json.members.compactMap { member in
                isHidden(member.key, hiding: fields)
                    ? nil : (member.key, visible(member.value, hiding: fields))
            })
    }

    private static func visible(_ value: JSONValue, hiding fields: Set<String>) -> JSONValue {
        switch value {
        case .object(let object): .object(visible(object, hiding: fields))
        case .array(let elements): .array(elements.map { visible($0, hiding: fields) })
        default: value
        }
    }

    /// Reads a flag as the store does.
    private static func flag(_ value: JSONValue?) -> Bool? { value?.looseFlag }
}
