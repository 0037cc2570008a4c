import Catalogue
import MirrorStore

/// A change in a list of changes: what happened to which object, field by field, and why.
struct ChangeEntry {
    let change: LoggedChange
    let action: ShownAction
    let title: String?
    /// The artists of an artwork, or what a document belongs to; `nil` if they are unknown, and for other kinds.
    let by: String?
    /// The path of the object's page; `nil` if it has none.
    let href: String?
    private(set) var fields: [FieldText]
    /// The number of fields that are left out.
    private(set) var otherFields: Int
    /// Why it was removed or restored.
    let evidence: String?
    /// Until when it can be restored; `nil` if it can't, or need not.
    let restorable: String?
    private let moments: MomentText
    private let runHref: String?
    private let seen: SeenChange?
    private let members: MemberChanges?

    /// The greatest number of fields of a change.
    static let mostFields = 12
    /// For how many days a deleted object can be restored.
    static let restorableDays = 30

    /// The changes that the face may see, with the names and artists of artworks as they are now.
    static func entries(_ changes: [LoggedChange], _ context: PageContext) throws -> [ChangeEntry] {
        let ids = changes.filter { $0.object.kind == .artwork }.map(\.object.id)
        let items = try context.store.items(Array(Set(ids)).sorted(), for: context.face)
        let found = Dictionary(items.map { (ExactText($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        return try changes.compactMap { try ChangeEntry($0, found[ExactText($0.object.id)], context) }
    }

    private init?(_ change: LoggedChange, _ item: ArtworkItem?, _ context: PageContext) throws {
        let object = change.object, kind = object.kind, face = context.face
        guard try Self.isVisible(object, item, context) else { return nil }
        let item = kind == .artwork ? item : nil
        self.change = change
        moments = MomentText(now: context.now)
        if let list = change.list {
            let members = try Self.members(change, list, context)
            guard face.seesAll || members?.isEmpty != true else { return nil }
            let name = ObjectList(rawValue: list)?.title ?? "list"
            (seen, self.members, action) = (nil, members, .updated)
            let label = name.prefix(1).uppercased() + name.dropFirst()
            fields = [FieldText(label: label, summary: members.flatMap(FieldText.summary) ?? "changed")]
            otherFields = 0
        } else {
            // A damaged state in the log is no reason to show nothing at all.
            let before = try? JSONObject(logged: change.before), after = try? JSONObject(logged: change.after)
            guard let seen = SeenChange(kind, before: before, after: after, to: face) else { return nil }
            let texts = seen.fields.compactMap(FieldText.init)
            (self.seen, members, action) = (seen, nil, seen.action)
            fields = Array(texts.prefix(Self.mostFields))
            otherFields = max(0, texts.count - Self.mostFields)
        }
        title = try item?.title ?? Self.name(seen) ?? Self.storedName(object, seen, context)
        let artists: String? = item.flatMap { item in
            let names = item.artists.map { LongText.cut($0, to: 100).text }
            return names.isEmpty ? nil : names.listed
        }
        by = try artists ?? Self.ownerName(object, context)
        href = Self.href(object, isGone: action == .deleted, slug: item?.slug, context)
        runHref = change.run.map { context.href(.run("\($0)")) }
        let sentence = EvidenceText(change.evidence, kind: kind, at: change.at, now: context.now).sentence
        evidence =
            sentence
            ?? (face.seesAll && action == .deleted
                ? change.evidence.map { LongText.cut($0, to: 300).text } : nil)
        restorable = action == .deleted ? try Self.restorable(change, context) : nil
    }

    /// Leaves out fields, so that the others take at most `length` bytes of a page.
    ///
    /// - Returns: the bytes that they take.
    mutating func cutFields(to length: Int) -> Int {
        var sum = 0
        let shown = fields.prefix { field in
            sum += field.length
            return sum <= length
        }
        otherFields += fields.count - shown.count
        fields = Array(shown)
        return fields.reduce(0) { $0 + $1.length }
    }

    // MARK: - What may be seen

    /// Whether the object may be seen now. Whether its states could be seen is decided for each change.
    private static func isVisible(_ object: ChangedObject, _ item: ArtworkItem?, _ context: PageContext)
        throws -> Bool
    {
        guard !context.face.seesAll else { return true }
        switch object.kind {
        case .artwork: return try item != nil || context.store.showsArtwork(object.id)
        case .album: return try !context.store.isHidden(.album, object.id)
        default: return context.face.shows(object.kind)
        }
    }

    /// The greatest number of members of a list whose visibility is looked up.
    private static let mostMembers = 100

    /// The members that the face may see; `nil` if there are too many to find out.
    private static func members(_ change: LoggedChange, _ list: String, _ context: PageContext) throws
        -> MemberChanges?
    {
        guard let all = try? MemberChanges(old: change.before, new: change.after) else { return nil }
        guard !context.face.seesAll, list == ObjectList.artworks.rawValue else { return all }
        let ids = all.added + all.removed + all.reordered
        guard ids.count <= mostMembers else { return nil }
        let shown = try context.store.shownArtworks(ids)
        return all.filtered { shown.contains(ExactText($0)) }
    }

    // MARK: - Names and addresses

    private static func name(_ seen: SeenChange?) -> String? {
        guard let body = seen?.after ?? seen?.before else { return nil }
        return ["title", "name", "display_name", "filename"].lazy.compactMap { body[$0]?.stringValue }.first {
            !$0.isBlank
        }
    }

    /// The name of an object of which only a list changed.
    private static func storedName(_ object: ChangedObject, _ seen: SeenChange?, _ context: PageContext)
        throws -> String?
    {
        guard seen == nil else { return nil }
        return try context.store.shownSummary(object.kind, object.id, to: context.face)?.name
    }

    /// The name of the object that a document belongs to: many shows have a document named Checklist.
    private static func ownerName(_ object: ChangedObject, _ context: PageContext) throws -> String? {
        guard let owner = object.owner else { return nil }
        return try context.store.shownSummary(owner.kind, owner.id, to: context.face)?.name
            .map { LongText.cut($0, to: 100).text }
    }

    private static func href(_ object: ChangedObject, isGone: Bool, slug: String?, _ context: PageContext)
        -> String?
    {
        if let owner = object.owner { return context.href(.object(owner.kind, owner.id)) }
        switch object.kind {
        case .partner: return context.href(.home)
        case .user: return nil
        default:
            return isGone
                ? context.href(.objectHistory(object.kind, object.id))
                : context.href(.object(object.kind, slug ?? object.id))
        }
    }

    /// The day until which a deleted object can be restored.
    static func restorable(until at: String, now: Timestamp) -> Timestamp? {
        guard let time = Timestamp(at) else { return nil }
        let end = Timestamp(seconds: time.seconds + restorableDays * 86_400)
        return end > now ? end : nil
    }

    private static func restorable(_ change: LoggedChange, _ context: PageContext) throws -> String? {
        let object = change.object
        guard object.owner == nil, change.run != nil,
            let deletion = try context.store.lastDeletion(of: object.kind, object.id),
            deletion.at == change.at, deletion.id == object.id
        else { return nil }
        return restorable(until: change.at, now: context.now).map { MomentText(now: context.now).day($0) }
    }

    // MARK: - Showing

    private static let words: [ShownAction: (text: String, css: String)] = [
        .created: ("New", "good-text"), .updated: ("Changed", ""), .deleted: ("Gone", "bad-text"),
    ]

    var shown: Shown {
        let word = Self.words[action] ?? ("Changed", "")
        return [
            "action": .string(word.text), "css": .text(word.css), "kind": .string(change.object.kind.name),
            "href": .text(href), "title": .text(title.map { LongText.cut($0, to: 200).text }),
            "untitled": .string(untitled), "isArtwork": .flag(change.object.kind == .artwork),
            "by": .text(by),
            "fields": .many(fields.map(\.shown)),
            "otherFields": .text(otherFields > 0 ? "And \(CountText(otherFields).words) more" : nil),
            "evidence": .text(evidence.map { action == .deleted ? "Because: \(Self.lowercased($0))" : $0 }),
            "when": .string(moments.brief(change.at)), "datetime": .string(change.at),
            "run": .part(
                change.run.map { ["text": .string("run \($0)"), "href": .string(runHref ?? "")] }),
            "restorable": .text(restorable.map { "It can be brought back until \($0)." }),
        ]
    }

    /// What is shown in place of a title.
    private var untitled: String {
        change.object.kind == .artwork ? "Untitled" : LongText.cut(change.object.id, to: 100).text
    }

    private static func lowercased(_ sentence: String) -> String {
        sentence.prefix(1).lowercased() + sentence.dropFirst()
    }

    var json: JSONObject {
        var json = JSONObject([
            ("change", .number(JSONNumber(Int(change.seq)))), ("at", .string(change.at)),
            ("action", .string("\(action)")), ("kind", .string(change.object.kind.name)),
            ("id", .string(change.object.id)),
        ])
        json["run"] = change.run.map { .number(JSONNumber(Int($0))) }
        json["title"] = title.map(JSONValue.string)
        json["href"] = href.map(JSONValue.string)
        json["evidence"] = evidence.map(JSONValue.string)
        if let owner = change.object.owner {
            json["owner"] = .object(
                JSONObject([("kind", .string(owner.kind.name)), ("id", .string(owner.id))]))
        }
        if let seen, action == .updated {
            json["fields"] = .array(
                seen.fields.map { field in
                    .object(
                        JSONObject([
                            ("name", .string(field.name)), ("old", field.old ?? .null),
                            ("new", field.new ?? .null),
                        ]))
                })
        }
        if let members, let list = change.list {
            json["list"] = .string(list)
            json["added"] = .array(members.added.map(JSONValue.string))
            json["removed"] = .array(members.removed.map(JSONValue.string))
        }
        return json
    }
}
