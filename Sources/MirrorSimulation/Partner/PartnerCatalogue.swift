import Catalogue
import MirrorStore

/// The content of a partner's server: the model that a mirror is compared with.
package struct PartnerCatalogue: Sendable {
    /// A body as it is served, with the fields that the checks use.
    struct Body: Sendable, Equatable {
        let text: String
        let etag: String
        var slug: String?
        var updated: Int?
        var artists: [String] = []
        var location: String?
        /// The end of a show, in seconds since 1970.
        var end: Int?
        var isRunning = false

        init(_ object: JSONObject) {
            text = object.canonicalText
            etag = "\"\(String(Fingerprint.of(text), radix: 16))\""
        }
    }

    /// Objects and documents, by canonical URL.
    var objects: [String: Body] = [:]
    /// Ids in order, by the list's path: the partner's own lists, membership lists, documents.
    var lists: [String: [String]] = [:]
    /// Pictures of shows, by the list's path and its parameter `default`.
    var pictures: [String: [Body]] = [:]
    /// Albums that were deleted on the server, whether or not they came back.
    private(set) var removedAlbums: Set<String> = []
    /// The last change of each object, oldest first, in milliseconds since 1970 by the server's clock.
    private(set) var changes: [(at: Int, kind: Kind, id: String)] = []
    /// The log that the feed of events is read from.
    var log = EventsLog()

    static let root = "/partner/p"

    static func list(_ kind: Kind) -> String { "\(root)/\(kind.plural)" }

    static func path(_ kind: Kind, _ id: String) -> String {
        let id = PercentEncoding.encode(id)
        return switch kind {
        case .artwork, .artist: "/\(kind.name)/\(id)"
        default: "\(root)/\(kind.name)/\(id)"
        }
    }

    /// Whether a path is the canonical URL of an object of a listed kind.
    static func isObject(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        if parts.count == 2 { return parts[0] == "artwork" || parts[0] == "artist" }
        return parts.count == 4 && parts[0] == "partner" && ["show", "album", "location"].contains(parts[2])
    }

    /// The path of the list of a show's, album's or location's artworks.
    static func artworks(_ kind: Kind, _ id: String) -> String {
        kind == .location
            ? "\(root)/artworks/all?partner_location_id=\(PercentEncoding.encode(id))"
            : "\(path(kind, id))/artworks"
    }

    static func documents(_ kind: Kind, _ id: String) -> String {
        "\(root)/\(kind.name)/\(PercentEncoding.encode(id))/documents"
    }

    static func document(_ kind: Kind, _ id: String, _ document: String) -> String {
        "\(root)/\(kind.name)/\(PercentEncoding.encode(id))/document/\(PercentEncoding.encode(document))"
    }

    static func pictures(_ show: String, cover: Bool) -> String {
        "/partner_show/\(PercentEncoding.encode(show))/images?default=\(cover ? 1 : 0)"
    }

    func ids(_ kind: Kind) -> [String] { lists[Self.list(kind)] ?? [] }

    func names(_ kind: Kind, _ id: String) -> Bool { ids(kind).contains(id) }

    /// Whether there are objects that no list contains.
    var hasUnlisted: Bool {
        let listed = Set(Kinds.standard.listed.flatMap { kind in ids(kind).map { Self.path(kind, $0) } })
        return objects.keys.contains { Self.isObject($0) && !listed.contains($0) }
    }

    func body(_ kind: Kind, _ id: String) -> Body? { objects[Self.path(kind, id)] }

    /// Whether an object has a picture with that path.
    func hasPicture(_ path: String) -> Bool {
        // Every format has the address of the largest one, with another name.
        let url = "\"\(path.replacing("/medium.jpg", with: "/larger.jpg"))\""
        return objects.values.contains { $0.text.containsUTF8(url) }
            || pictures.values.contains { $0.contains { $0.text.containsUTF8(url) } }
    }

    // MARK: - Changes

    mutating func put(_ kind: Kind, _ id: String, _ body: Body, isListed: Bool = true) {
        objects[Self.path(kind, id)] = body
        if isListed, !names(kind, id) { lists[Self.list(kind), default: []].append(id) }
    }

    /// Removes an object from its list, and also from its canonical URL unless it `stays` there.
    mutating func remove(_ kind: Kind, _ id: String, stays: Bool = false) {
        lists[Self.list(kind)]?.removeAll { $0 == id }
        if kind == .album { removedAlbums.insert(id) }
        if !stays { objects[Self.path(kind, id)] = nil }
    }

    /// Records that an object, or something under it, was changed or deleted.
    mutating func touch(_ kind: Kind, _ id: String, at time: Int) {
        changes.removeAll { $0.kind == kind && $0.id == id }
        let index = changes.lastIndex { $0.at <= time }.map { $0 + 1 } ?? 0
        changes.insert((time, kind, id), at: index)
        log.note(kind, id, body: names(kind, id) ? body(kind, id)?.text : nil)
    }

    var lastChange: Int? { changes.last?.at }
}
