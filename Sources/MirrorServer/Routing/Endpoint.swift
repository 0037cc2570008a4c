import Catalogue
import Hummingbird
import MirrorStore

/// What a path under a base stands for.
enum Endpoint: Hashable {
    /// The base itself: which extensions there are.
    case base
    case user
    case partner
    case size
    case digest
    case snapshot
    case flags
    /// An artwork, artist, show or location.
    case object(Kind, String)
    case album(String)
    /// Where albums are made.
    case newAlbum
    case albumArtwork(album: String, artwork: String)
    case document(Owner, String)
    case documentFile(Owner, String)
    /// One of the partner's own lists.
    case list(Kind)
    /// The artworks of a show or album.
    case members(Owner)
    /// The artworks at the location that the query names.
    case locationArtworks
    case documents(Owner)
    case showImages(String)
    case picture(Owner, image: String, format: String)
    case latestEvent(EventFeed)
    /// What happened after an event.
    case events(EventFeed, after: String)

    /// Whether the answer to `GET` is a stored row, or less.
    var isOneRow: Bool {
        switch self {
        case .base, .user, .partner, .object, .album, .document: true
        default: false
        }
    }

    /// The methods that are taken.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .flags: [.put]
        case .newAlbum: [.post]
        case .album: [.get, .head, .put, .delete]
        case .albumArtwork: [.post, .delete]
        default: [.get, .head]
        }
    }

    /// Reads the segments behind a base.
    ///
    /// - Returns: the endpoint, and the partner that the path names, if it names one; `nil` for what isn't here.
    static func parse(_ segments: ArraySlice<String>) -> (endpoint: Endpoint, partner: String?)? {
        let at = Array(segments)
        guard let first = at.first else { return (.base, nil) }
        guard !at.contains("") else { return nil }
        switch (first, at.count) {
        case ("partner", 3...): return underPartner(at).map { ($0, at[1]) }
        case ("me", 1): return (.user, nil)
        case ("artwork", 2): return (.object(.artwork, at[1]), nil)
        case ("artist", 2): return (.object(.artist, at[1]), nil)
        case ("artwork", 5): return picture(Owner(.artwork, at[1]), at).map { ($0, nil) }
        case ("show", 5): return picture(Owner(.show, at[1]), at).map { ($0, nil) }
        case ("partner_show", 3) where at[2] == "images": return (.showImages(at[1]), nil)
        default: return nil
        }
    }

    private static func underPartner(_ at: [String]) -> Endpoint? {
        switch (at.count, at[2]) {
        case (3, "all"): return .partner
        case (3, "size"): return .size
        case (3, "digest"): return .digest
        case (3, "snapshot"): return .snapshot
        case (3, "partner_flags"): return .flags
        case (3, "album"): return .newAlbum
        case (3, let name): return lists[name].map { .list($0) }
        case (4, "artworks"): return at[3] == "all" ? .locationArtworks : nil
        case (4, "show"): return .object(.show, at[3])
        case (4, "location"): return .object(.location, at[3])
        case (4, "album"): return .album(at[3])
        case (4, "events"): return events(of: .partner, at[3])
        case (5, "show"): return part(of: Owner(.show, at[3]), at[4])
        case (5, "album"): return at[4] == "artworks" ? .members(Owner(.album, at[3])) : nil
        case (5, "artist"): return at[4] == "documents" ? .documents(Owner(.artist, at[3])) : nil
        case (6, "album"): return at[4] == "artwork" ? .albumArtwork(album: at[3], artwork: at[5]) : nil
        case (6, "show") where at[4] == "events": return events(of: .show(at[3]), at[5])
        case (6, "show"): return document(Owner(.show, at[3]), at)
        case (6, "artist"): return document(Owner(.artist, at[3]), at)
        // The file's own name is for people: which document it is says the id.
        case (8, "show"): return documentFile(Owner(.show, at[3]), at)
        case (8, "artist"): return documentFile(Owner(.artist, at[3]), at)
        default: return nil
        }
    }

    private static func events(of feed: EventFeed, _ event: String) -> Endpoint {
        event == "latest" ? .latestEvent(feed) : .events(feed, after: event)
    }

    private static func part(of show: Owner, _ name: String) -> Endpoint? {
        switch name {
        case "artworks": .members(show)
        case "documents": .documents(show)
        default: nil
        }
    }

    private static func document(_ owner: Owner, _ at: [String]) -> Endpoint? {
        at[4] == "document" ? .document(owner, at[5]) : nil
    }

    private static func documentFile(_ owner: Owner, _ at: [String]) -> Endpoint? {
        at[4] == "document" && at[6] == "file" ? .documentFile(owner, at[5]) : nil
    }

    private static func picture(_ owner: Owner, _ at: [String]) -> Endpoint? {
        let suffix = ".jpg"
        guard at[2] == "image", at[4].hasSuffix(suffix), at[4].utf8.count > suffix.utf8.count else {
            return nil
        }
        return .picture(owner, image: at[3], format: String(at[4].dropLast(suffix.count)))
    }

    private static let lists: [String: Kind] = [
        "artworks": .artwork, "shows": .show, "artists": .artist, "albums": .album, "locations": .location,
    ]
}
