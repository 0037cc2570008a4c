import Catalogue
import Hummingbird
import MirrorStore

/// The resource at a path under a base: the inverse of ``Catalogue/Router``.
enum Endpoint: Hashable {
    /// The base itself, which lists the extensions.
    case base
    case user, partner, size, digest, snapshot, flags
    case object(Kind, String)
    /// The path at which albums are created.
    case newAlbum
    case albumArtwork(album: String, artwork: String)
    case document(Owner, String)
    case documentFile(Owner, String)
    /// One of the partner's own lists.
    case list(Kind)
    /// The artworks or documents of an object.
    case members(ObjectList, of: Owner)
    /// The artworks at the location in the query.
    case locationArtworks
    case showImages(String)
    case picture(Owner, image: String, format: String)
    /// A deep-zoom tile of a picture; the format is the extension of its name.
    case tile(Owner, image: String, ImageTile, format: String)
    case latestEvent(EventFeed)
    /// The events after a cursor.
    case events(EventFeed, after: String)

    /// Whether a `GET` reads at most one stored row.
    var isOneRow: Bool {
        switch self {
        case .base, .user, .partner, .object, .document: true
        default: false
        }
    }

    /// The allowed methods.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .flags: [.put]
        case .newAlbum: [.post]
        case .object(.album, _): [.get, .head, .put, .delete]
        case .albumArtwork: [.post, .delete]
        default: [.get, .head]
        }
    }

    /// Parses the segments after a base.
    ///
    /// - Returns: the endpoint and the partner in the path, if there is one; `nil` if the path doesn't exist.
    static func parse(
        _ segments: ArraySlice<String>, among kinds: Kinds = .standard
    ) -> (endpoint: Endpoint, partner: String?)? {
        let at = Array(segments)
        guard let first = at.first else { return (.base, nil) }
        guard !at.contains("") else { return nil }
        if first == "partner", at.count >= 3 { return underPartner(at, kinds).map { ($0, at[1]) } }
        return withoutPartner(at, kinds).map { ($0, nil) }
    }

    private static func withoutPartner(_ at: [String], _ kinds: Kinds) -> Endpoint? {
        if at == ["me"] { return .user }
        if at.count == 3, at[0] == "partner_show", at[2] == "images" { return .showImages(at[1]) }
        guard let kind = kinds[at[0]] else { return nil }
        switch at.count {
        case 2: return kind.isListed && !kind.isUnderPartner ? .object(kind, at[1]) : nil
        case 5 where kind.hasPictures && at[2] == "image" && at[4].hasSuffix(".jpg") && at[4] != ".jpg":
            return .picture(Owner(kind, at[1]), image: at[3], format: String(at[4].dropLast(4)))
        case 7 where kind.hasPictures && at[2] == "image" && at[4] == FileReference.tiles:
            guard let dot = at[6].firstIndex(of: "."),
                let tile = ImageTile(level: at[5], place: String(at[6][..<dot]))
            else { return nil }
            let format = String(at[6][at[6].index(after: dot)...])
            return .tile(Owner(kind, at[1]), image: at[3], tile, format: format)
        default: return nil
        }
    }

    private static func underPartner(_ at: [String], _ kinds: Kinds) -> Endpoint? {
        switch (at.count, at[2]) {
        case (3, let word): ofPartner[word] ?? kinds.listed.first { $0.plural == word }.map { .list($0) }
        case (4, "artworks"): at[3] == "all" ? .locationArtworks : nil
        case (4, "events"): events(of: .partner, at[3])
        case (6, "show") where at[4] == "events": events(of: .show(at[3]), at[5])
        case (6, "album") where at[4] == "artwork": .albumArtwork(album: at[3], artwork: at[5])
        default: kinds[at[2]].flatMap { underPartner($0, at) }
        }
    }

    private static let ofPartner: [String: Endpoint] = [
        "all": .partner, "size": .size, "digest": .digest, "snapshot": .snapshot, "partner_flags": .flags,
        "album": .newAlbum,
    ]

    /// An object under the partner, or a list, document or file under an object.
    private static func underPartner(_ kind: Kind, _ at: [String]) -> Endpoint? {
        let owner = Owner(kind, at[3])
        switch at.count {
        case 4: return kind.isListed && kind.isUnderPartner ? .object(kind, at[3]) : nil
        case 5:
            // Pictures and a location's artworks have other paths.
            guard let list = ObjectList(rawValue: at[4]), list.imageRole == nil, kind.lists.contains(list),
                kind != .location
            else { return nil }
            return .members(list, of: owner)
        case 6 where kind.hasDocuments && at[4] == "document": return .document(owner, at[5])
        // The last segment is a human-readable file name; the id identifies the document.
        case 8 where kind.hasDocuments && at[4] == "document" && at[6] == "file":
            return .documentFile(owner, at[5])
        default: return nil
        }
    }

    private static func events(of feed: EventFeed, _ event: String) -> Endpoint {
        event == "latest" ? .latestEvent(feed) : .events(feed, after: event)
    }
}
