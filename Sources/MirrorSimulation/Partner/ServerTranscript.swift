import Catalogue
import MirrorStore

/// What the server answered in one run, as far as it arrived: the evidence that the mirror's changes are checked against.
struct ServerTranscript: Sendable {
    /// Whether everything is recorded, rather than only which objects were requested.
    let isDetailed: Bool
    /// Every list that arrived, by its key (``listKey(_:)``); several if it was requested several times.
    private(set) var lists: [String: [Listing]] = [:]

    /// Keys of lists of which a page had an unusable element.
    private var incompleteLists: Set<String> = []

    struct Listing: Sendable {
        var ids: Set<String> = []
        /// Whether every element had a usable id. If not, the list may miss members that exist.
        var isComplete = true

        func contains(_ id: String) -> Bool { ids.contains(id) }
    }

    /// Objects that a tombstone or an event reported as deleted.
    private(set) var deleted: [Kind: Set<String>] = [:]
    /// Objects that were reported as deleted before this run. What a page of events reported may be stored after the
    /// check of the run that received it.
    let deletedBefore: [Kind: Set<String>]
    /// Bodies of requested objects, by canonical URL.
    private(set) var bodies: [(path: String, text: String)] = []
    /// Bodies of objects in changes, events and snapshots.
    private(set) var changedBodies: [(path: String, text: String)] = []
    /// Paths of pictures that arrived completely.
    private(set) var pictures: [String] = []
    /// Canonical URLs of objects that were answered with 404 or 410.
    private(set) var missing = Set<String>()
    /// Canonical URLs of objects that were answered with 403.
    private(set) var refused = Set<String>()
    /// Requests for canonical URLs of objects, with any answer.
    private(set) var requested: [String] = []

    /// - Parameter before: the transcript of the previous run.
    init(isDetailed: Bool = true, after before: ServerTranscript? = nil) {
        self.isDetailed = isDetailed
        deletedBefore = before?.deleted ?? [:]
    }

    /// Records an answer that arrived completely.
    ///
    /// - Parameter body: the body; for a 304, the one that it confirms.
    mutating func note(_ method: String, _ url: String, status: Int, body: String, isObject: Bool) {
        guard method == "GET" else { return }
        let path = String(url.prefix { $0 != "?" })
        if isObject {
            requested.append(path)
            if status == 200, isDetailed { bodies.append((path, body)) }
            if status == 404 || status == 410 { missing.insert(path) }
            if status == 403 { refused.insert(path) }
            return
        }
        guard isDetailed, status == 200 || status == 304 else { return }
        if path.hasSuffix(".jpg") {
            if status == 200 { pictures.append(path) }
        } else if path.hasSuffix("/snapshot") {
            noteSnapshot(body)
        } else if url.containsUTF8("since=") {
            noteChanges(body, in: path)
        } else if path.containsUTF8("/events/") {
            noteEvents(body)
        } else {
            noteList(url, body)
        }
    }

    /// The first page of pictures contains all of them. If any page has an unusable element, the list is incomplete.
    private mutating func noteList(_ url: String, _ body: String) {
        let isPage = url.containsUTF8("/images?")
        guard isPage || url.containsUTF8("ids=1"), var listing = Self.listing(body) else { return }
        let list = Self.listKey(url)
        if isPage, !listing.isComplete { incompleteLists.insert(list) }
        if incompleteLists.contains(list) { listing.isComplete = false }
        guard !isPage || !url.containsUTF8("page=") || url.containsUTF8("page=1&") || url.hasSuffix("page=1")
        else {
            return
        }
        lists[list, default: []].append(listing)
    }

    /// The key of a list: its path, with the location or the role of the pictures that it is limited to.
    static func listKey(_ url: String) -> String {
        guard let query = url.firstIndex(of: "?") else { return url }
        let location = url[query...].dropFirst().split(separator: "&").first {
            $0.hasPrefix("partner_location_id=") || $0.hasPrefix("default=")
        }
        return url[..<query] + (location.map { "?\($0)" } ?? "")
    }

    private static func elements(_ body: String) -> [JSONValue]? {
        guard case .array(let elements)? = try? JSONValue(parsing: body) else { return nil }
        return elements
    }

    private static func listing(_ body: String) -> Listing? {
        elements(body).map { elements in
            elements.reduce(into: Listing()) { listing, element in
                let id = element.stringValue ?? element.objectValue?["id"]?.stringValue ?? ""
                if id.isEmpty || id.utf8.contains(0) {
                    listing.isComplete = false
                } else {
                    listing.ids.insert(id)
                }
            }
        }
    }

    /// Each line of a snapshot counts as an answer. The last line may be incomplete.
    private mutating func noteSnapshot(_ body: String) {
        for line in body.split(separator: "\n") {
            guard case .object(let entry)? = try? JSONValue(parsing: String(line)),
                let url = entry["url"]?.stringValue, let body = entry["body"]?.canonicalText
            else { continue }
            let path = String(url.prefix { $0 != "?" })
            if PartnerCatalogue.isObject(path) {
                changedBodies.append((path, body))
            } else {
                noteList(url, body)
            }
        }
    }

    private mutating func noteChanges(_ body: String, in path: String) {
        guard let kind = Kinds.standard.listed.first(where: { PartnerCatalogue.list($0) == path }) else {
            return
        }
        for case .object(let change) in Self.elements(body) ?? [] {
            guard let id = change["id"]?.stringValue else { continue }
            if change["deleted_at"] != nil { deleted[kind, default: []].insert(id) }
            noteChangedBody(change["object"], kind, id)
        }
    }

    private mutating func noteEvents(_ body: String) {
        guard case .object(let page)? = try? JSONValue(parsing: body),
            case .array(let events)? = page["events"]
        else { return }
        for case .object(let event) in events {
            guard let kind = event["kind"]?.stringValue.flatMap({ Kinds.standard[$0] }),
                let id = event["id"]?.stringValue
            else { continue }
            if event["action"]?.canonicalText == "0" { deleted[kind, default: []].insert(id) }
            noteChangedBody(event["object"], kind, id)
        }
    }

    private mutating func noteChangedBody(_ object: JSONValue?, _ kind: Kind, _ id: String) {
        guard let object else { return }
        changedBodies.append((PartnerCatalogue.path(kind, id), object.canonicalText))
    }
}
