import Catalogue
import MirrorStore

/// What the server said in one run, as far as it got through: a witness for what the mirror makes of it.
struct ServerTranscript: Sendable {
    /// Whether more is taken down than which objects were asked for.
    let isDetailed: Bool
    /// What each list named that came, by what the list is known by, each time that it came.
    private(set) var lists: [String: [Listing]] = [:]

    /// Lists of which a page had an element that names nothing.
    private var incompleteLists: Set<String> = []

    struct Listing: Sendable {
        var ids: Set<String> = []
        /// Whether every element of it named something. Of others, what they lack may be there all the same.
        var isComplete = true

        func contains(_ id: String) -> Bool { ids.contains(id) }
    }

    /// What was said to be gone: by a tombstone, or an event.
    private(set) var deleted: [Kind: Set<String>] = [:]
    /// What was said to be gone before: what came with a page of events may be stored after the look at what came with it.
    let deletedBefore: [Kind: Set<String>]
    /// Bodies of objects that came, by the canonical URL.
    private(set) var bodies: [(path: String, text: String)] = []
    /// Bodies of objects that came with changes or events.
    private(set) var changedBodies: [(path: String, text: String)] = []
    /// Paths of pictures that came whole.
    private(set) var pictures: [String] = []
    /// Canonical URLs of objects that the server said it doesn't have.
    private(set) var missing = Set<String>()
    /// Those that it doesn't show.
    private(set) var refused = Set<String>()
    /// Requests for canonical URLs of objects, whatever was answered.
    private(set) var requested: [String] = []

    /// - Parameter before: what was said until now.
    init(isDetailed: Bool = true, after before: ServerTranscript? = nil) {
        self.isDetailed = isDetailed
        deletedBefore = before?.deleted ?? [:]
    }

    /// Takes down an answer that got through whole.
    ///
    /// - Parameters:
    ///   - body: of a 304, what it stands for.
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

    /// All pictures are on the first page; of one with an element that names nothing, no page makes a complete list any more.
    private mutating func noteList(_ url: String, _ body: String) {
        let isPage = url.containsUTF8("/images?")
        guard isPage || url.containsUTF8("ids=1"), var listing = Self.listing(body) else { return }
        let list = Self.list(url)
        if isPage, !listing.isComplete { incompleteLists.insert(list) }
        if incompleteLists.contains(list) { listing.isComplete = false }
        guard !isPage || !url.containsUTF8("page=") || url.containsUTF8("page=1&") || url.hasSuffix("page=1")
        else {
            return
        }
        lists[list, default: []].append(listing)
    }

    /// What a list is known by: its path, and the location that it is of, or whether it is a cover's.
    static func list(_ url: String) -> String {
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

    /// Each line stands for an answer that came; of the last one only a part may have.
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
