/// What has a canonical URL of its own in a partner's catalogue: the leaves of its digest.
///
/// Which URLs those are, and how they are written, is decided here for both sides (`{p}` is the partner's id; ids are
/// percent-encoded, query items sorted by name; all are relative to the base):
///
/// | what | its URL |
/// |---|---|
/// | the partner, the user | `/partner/{p}/all`, `/me` |
/// | an artwork, artist | `/artwork/{id}`, `/artist/{id}` |
/// | a show, album, location | `/partner/{p}/show/{id}`, `…/album/{id}`, `…/location/{id}` |
/// | a document of a show or artist | `/partner/{p}/show/{s}/document/{d}`, `…/artist/{a}/document/{d}` |
/// | the artworks of a show or album | `/partner/{p}/show/{s}/artworks?ids=1&size=all`, `…/album/{a}/artworks?ids=1&size=all` |
/// | the artworks at a location | `/partner/{p}/artworks/all?ids=1&partner_location_id={l}&size=all` |
/// | the documents of a show or artist | `/partner/{p}/show/{s}/documents?ids=1&size=all`, `…/artist/{a}/documents?ids=1&size=all` |
/// | a show's installation shots, cover | `/partner_show/{s}/images?default=0`, `/partner_show/{s}/images?default=1` |
///
/// Every list under an object is among them, empty ones too, with the ETag that stands for the whole of it. The partner's
/// own lists are not: their members are, each by its URL, so that the digest says what they say; and an ETag that changes
/// with each of a million objects could neither be kept up to date at O(log n) a change, nor is it known to who pulls only
/// what changed. Only objects that the partner's own lists name are in it, with what is under them.
public enum CanonicalResource: Sendable, Hashable {
    case partner, user
    case object(Kind, id: String)
    /// A document of a show or artist.
    case document(of: Kind, owner: String, id: String)
    /// A list under an object.
    case list(of: Kind, owner: String, List)

    /// The kinds of which a partner has a list of its own.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case artwork, artist, show, album, location

        /// The lists under an object of the kind.
        public var lists: [List] {
            switch self {
            case .show: [.artworks, .documents, .installationShots, .cover]
            case .artist: [.documents]
            case .album, .location: [.artworks]
            case .artwork: []
            }
        }
    }

    /// A list under an object, by the name that `validators` gives it.
    public enum List: String, Sendable, Hashable {
        case artworks, documents
        case installationShots = "images?default=0"
        case cover = "images?default=1"
    }
}

extension Router {
    /// The canonical URL, relative to the base; `nil` for a list or document that objects of the kind don't have.
    public func url(of resource: CanonicalResource) -> String? {
        switch resource {
        case .partner: partner().canonicalURL
        case .user: user().canonicalURL
        case .object(let kind, let id): object(kind, id).canonicalURL
        case .document(.show, let show, let id): showDocument(show: show, document: id).canonicalURL
        case .document(.artist, let artist, let id): artistDocument(artist: artist, document: id).canonicalURL
        case .document: nil
        case .list(let kind, let owner, let list): route(list, of: kind, owner)?.listURL
        }
    }

    private func object(_ kind: CanonicalResource.Kind, _ id: String) -> Route {
        switch kind {
        case .artwork: artwork(id)
        case .artist: artist(id)
        case .show: show(id)
        case .album: album(id)
        case .location: location(id)
        }
    }

    private func route(_ list: CanonicalResource.List, of kind: CanonicalResource.Kind, _ id: String)
        -> Route?
    {
        switch (kind, list) {
        case (.show, .artworks): showArtworks(id)
        case (.show, .documents): showDocuments(id)
        case (.show, .installationShots): images(show: id, cover: false, page: 1)
        case (.show, .cover): images(show: id, cover: true, page: 1)
        case (.artist, .documents): artistDocuments(id)
        case (.album, .artworks): albumArtworks(id)
        case (.location, .artworks): locationArtworks(id)
        default: nil
        }
    }

    /// What a canonical URL stands for; `nil` for anything that ``url(of:)`` doesn't write exactly so.
    public func resource(at url: String) -> CanonicalResource? {
        guard let target = RequestTarget.parse(url), let found = resource(target),
            let written = self.url(of: found), UTF8Order.equal(written, url)
        else { return nil }
        return found
    }

    private func resource(_ target: RequestTarget) -> CanonicalResource? {
        let at = target.segments
        switch (at.first, at.count) {
        case ("me", 1): return .user
        case ("artwork", 2): return .object(.artwork, id: at[1])
        case ("artist", 2): return .object(.artist, id: at[1])
        case ("partner_show", 3): return target["default"].flatMap { images(ofShow: at[1], $0) }
        case ("partner", 3): return .partner
        case ("partner", 4):
            if let kind = CanonicalResource.Kind(rawValue: at[2]) { return .object(kind, id: at[3]) }
            return target["partner_location_id"].map { .list(of: .location, owner: $0, .artworks) }
        case ("partner", 5):
            guard let kind = CanonicalResource.Kind(rawValue: at[2]),
                let list = CanonicalResource.List(rawValue: at[4])
            else { return nil }
            return .list(of: kind, owner: at[3], list)
        case ("partner", 6):
            return CanonicalResource.Kind(rawValue: at[2]).map { .document(of: $0, owner: at[3], id: at[5]) }
        default: return nil
        }
    }

    private func images(ofShow show: String, _ value: String) -> CanonicalResource? {
        CanonicalResource.List(rawValue: "images?default=\(value)").map { .list(of: .show, owner: show, $0) }
    }
}

/// The same for those who have kinds and lists by their names.
extension Router {
    /// - Parameter kind: the API's singular name.
    public func canonicalURL(kind: String, id: String) -> String? {
        switch kind {
        case "partner": url(of: .partner)
        case "user": url(of: .user)
        default: CanonicalResource.Kind(rawValue: kind).flatMap { url(of: .object($0, id: id)) }
        }
    }

    public func canonicalURL(document id: String, of kind: String, _ owner: String) -> String? {
        CanonicalResource.Kind(rawValue: kind).flatMap { url(of: .document(of: $0, owner: owner, id: id)) }
    }

    /// - Parameter list: as `validators` calls it.
    public func canonicalURL(list: String, of kind: String, _ owner: String) -> String? {
        guard let kind = CanonicalResource.Kind(rawValue: kind),
            let list = CanonicalResource.List(rawValue: list)
        else { return nil }
        return url(of: .list(of: kind, owner: owner, list))
    }
}
