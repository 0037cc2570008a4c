import Catalogue
import MirrorStore

/// The change of a field in one line: its label, and what was removed and added.
struct FieldText: Equatable {
    let label: String
    /// The earlier value; `nil` if there was none.
    var old: String?
    /// The later value; `nil` if there is none.
    var new: String?
    /// In place of values: `2 added, 1 removed`.
    var summary: String?

    /// Longer values are cut, so that both show where they differ. In characters.
    static let maximumLength = 200

    /// `nil` if nothing that a page shows has changed, such as `null` to an empty text.
    init?(_ change: FieldChanges.Change) {
        label = change.name == "images" ? "Pictures" : Fact.label(change.name)
        if Self.isListOfObjects(change.old), Self.isListOfObjects(change.new),
            Self.isFullList(change.old) || Self.isFullList(change.new)
        {
            let members = MemberChanges(old: change.old?.arrayValue ?? [], new: change.new?.arrayValue ?? [])
            summary = Self.summary(members) ?? "changed"
            return
        }
        let before = Self.text(change.old), after = Self.text(change.new)
        guard before != after else { return nil }
        (old, new) = Self.cut(before, after)
    }

    init(label: String, summary: String) { (self.label, self.summary) = (label, summary) }

    /// `2 added, 1 removed, other order`; `nil` if nothing changed.
    static func summary(_ members: MemberChanges) -> String? {
        let parts = [
            (members.added.count, "added"), (members.removed.count, "removed"),
            (members.changed.count, "changed"),
        ].filter { $0.0 > 0 }.map { "\(CountText($0.0).digits) \($0.1)" }
        let all = parts + (members.isReordered ? ["other order"] : [])
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    private static func isListOfObjects(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null: true
        case .array(let elements): elements.allSatisfy { $0.objectValue?["id"] != nil }
        default: false
        }
    }

    private static func isFullList(_ value: JSONValue?) -> Bool { !(value?.arrayValue ?? []).isEmpty }

    /// A value in one line. An object with a name is its name.
    private static func text(_ value: JSONValue?) -> String? {
        guard let value else { return nil }
        for name in ["title", "name", "display_name"] {
            if let text = value.objectValue?[name]?.stringValue, !text.isEmpty { return text }
        }
        let text = Fact.text(value)
        return text.isEmpty ? nil : text
    }

    /// Both values from shortly before the first difference on, each cut.
    private static func cut(_ old: String?, _ new: String?) -> (String?, String?) {
        guard let old, let new, max(old.count, new.count) > maximumLength else {
            return (
                old.map { LongText.cut($0, to: maximumLength).text },
                new.map { LongText.cut($0, to: maximumLength).text }
            )
        }
        let common = zip(old, new).prefix { $0 == $1 }.count
        func part(_ text: String) -> String {
            guard common > 60 else { return LongText.cut(text, to: maximumLength).text }
            return "…" + LongText.cut(String(text.dropFirst(common - 30)), to: maximumLength).text
        }
        return (part(old), part(new))
    }

    /// The bytes that the field takes in a page, without markup.
    var length: Int {
        [label, old, new, summary].compactMap(\.self).reduce(0) { $0 + PageText.escaped($1).utf8.count }
    }

    var shown: Shown {
        ["label": .string(label), "old": .text(old), "new": .text(new), "summary": .text(summary)]
    }
}
