import Catalogue
import MirrorStore

/// The changes of one object, also of one that is gone: then what it was, and until when it can be brought back.
struct ObjectHistoryPage: WebPage {
    static let template = "history"

    private let kind: Kind
    private let id: String
    private let heading: String
    private let objectHref: String?
    private let absence: Absence?
    private let changes: ChangeList
    /// With which run and when a snapshot brought the object; `nil` if it came otherwise.
    private let loaded: Shown?
    private let ownHref: String

    /// What is known of an object that is gone.
    struct Absence {
        let at: String
        let notice: PageFrame.Notice
        /// The command that brings it back; `nil` if it is too late.
        let command: String?
        let facts: [Fact]
    }

    /// The history of a stored object.
    init(_ object: FoundObject, _ context: PageContext) throws {
        let summary = object.summary
        try self.init(
            summary.kind, summary.id, summary.key, name: summary.name,
            objectHref: context.href(summary), absence: nil, context)
    }

    /// The history of an object that is gone; `nil` if there is none that the face may see.
    ///
    /// - Parameter key: its id or its slug.
    init?(gone kind: Kind, _ key: String, _ context: PageContext) throws {
        guard let gone = try context.store.lastDeletion(of: kind, key),
            context.face.shows(gone.body, of: kind)
        else { return nil }
        let body = context.face.visible(gone.body, of: kind)
        try self.init(
            kind, gone.id, key, name: GoneObject.name(body), objectHref: nil,
            absence: GoneObject(gone, kind, context).absence(Self.naming(body, context)), context)
    }

    /// The object with the names of its artists and its location in place of their ids.
    private static func naming(_ body: JSONObject, _ context: PageContext) throws -> JSONObject {
        func name(_ kind: Kind, _ id: String) throws -> String {
            let object = try context.find(kind, id)
            return object?.body == nil ? id : object?.summary.name ?? id
        }
        var body = body
        let artists = body.ids("artists", single: "artist"), places = body.ids("location", single: "location")
        let names = try artists.prefix(WorkLabel.maximumArtists).map { try name(.artist, $0) }
        let more = artists.count - names.count
        if !names.isEmpty {
            body["artists"] = .string((names + (more > 0 ? ["\(CountText(more).digits) more"] : [])).listed)
            body["artist"] = nil
        }
        if let place = places.first { body["location"] = .string(try name(.location, place)) }
        return body
    }

    private init(
        _ kind: Kind, _ id: String, _ key: String, name: String?, objectHref: String?, absence: Absence?,
        _ context: PageContext
    ) throws {
        (self.kind, self.id, self.objectHref, self.absence) = (kind, id, objectHref, absence)
        heading =
            name.map { LongText.cut($0, to: 200).text }
            ?? (kind == .artwork ? "Untitled" : "This \(kind.name)")
        let address = PageAddress.objectHistory(kind, key)
        ownHref = context.href(address)
        changes = try ChangeList(.object(kind, id), address, context)
        let load = absence == nil ? try context.store.load(of: kind, id, for: context.face) : nil
        loaded = load.flatMap { load in
            load.run.map { run in
                [
                    "href": .string(context.href(.run("\(run)"))), "run": .string("run \(run)"),
                    "day": .string(MomentText(now: context.now).day(load.at)),
                ]
            }
        }
    }

    var title: String { "History of \(heading)" }
    var canonical: String? { ownHref }
    var section: PageSection? { .below(kind) }
    var neighbours: (previous: String?, next: String?) { (changes.later, changes.earlier) }

    var shown: Shown {
        [
            "heading": .string(title), "isOverview": false, "headline": .part(absence?.notice.shown),
            "advice": false,
            "figures": false, "plot": false, "runs": false, "behind": false, "snapshot": false,
            "loaded": .part(loaded), "saysZone": .flag(changes.hasTimes),
            "counts": false,
            "problems": false,
            "object": .part([
                "href": .text(objectHref), "kind": .string(kind.name), "command": .text(absence?.command),
            ]),
            "facts": .part(absence.map { ["items": .many($0.facts.map(\.shown))] }),
            "changes": .one(loaded == nil ? changes.shown : changes.shown.with(["isEmpty": false])),
        ]
    }

    var json: JSONObject {
        var json = JSONObject([
            ("href", .string(ownHref)), ("kind", .string(kind.name)), ("id", .string(id)),
            ("items", changes.json),
        ])
        json["object"] = .some(objectHref.map(JSONValue.string) ?? .null)
        json["deleted_at"] = absence.map { .string($0.at) }
        changes.addPaging(to: &json)
        return json
    }
}

/// An object that was deleted: why, and until when it can be brought back.
struct GoneObject {
    let deletion: CatalogueStore.LoggedDeletion
    let kind: Kind
    private let mirror: String
    private let now: Timestamp

    init(_ deletion: CatalogueStore.LoggedDeletion, _ kind: Kind, _ context: PageContext) {
        (self.deletion, self.kind) = (deletion, kind)
        (mirror, now) = (context.mirror.name, context.now)
    }

    static func name(_ body: JSONObject) -> String? {
        ["title", "name", "display_name"].lazy.compactMap { body[$0]?.stringValue }.first { !$0.isBlank }
    }

    /// Why it is gone; without evidence, only when.
    var reason: String {
        EvidenceText(deletion.evidence, kind: kind, at: deletion.at, now: now).sentence
            ?? "It was removed from this copy on \(MomentText(now: now).at(deletion.at))."
    }

    /// Until when it can be brought back; `nil` if it is too late, and outside a run.
    var restorable: String? {
        guard deletion.run != nil else { return nil }
        return ChangeEntry.restorable(until: deletion.at, now: now).map { MomentText(now: now).day($0) }
    }

    /// The command that brings it back. Nothing of the id can end the command or begin an option.
    var command: String? {
        guard restorable != nil else { return nil }
        let isPlain = deletion.id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: byte == UInt8(ascii: "-")
            }
        }
        guard isPlain, !deletion.id.hasPrefix("-"), deletion.id.utf8.count <= 100 else {
            return "mirror restore"
        }
        return "mirror restore \(kind.name) \(deletion.id) --partner \(mirror)"
    }

    func absence(_ body: JSONObject) -> ObjectHistoryPage.Absence {
        let until =
            restorable.map { " It can be brought back until \($0)." } ?? " It can no longer be brought back."
        return ObjectHistoryPage.Absence(
            at: deletion.at,
            notice: PageFrame.Notice(strong: "It is gone.", text: reason + until), command: command,
            facts: Fact.others(of: body, except: ["id", "slug", "images", CatalogueMapping.originalsKey])
                + [Fact("Identifier", code: LongText.cut(deletion.id, to: 300).text)])
    }
}
