/// A resource with a canonical URL in a partner's catalogue: a leaf of the digest trie.
///
/// This type defines the canonical URLs for client and server. They are relative to the base. `{p}` is the partner's id;
/// ids are percent-encoded; query items are sorted by name.
///
/// | resource | canonical URL |
/// |---|---|
/// | the partner, the user | `/partner/{p}/all`, `/me` |
/// | an artwork, artist | `/artwork/{id}`, `/artist/{id}` |
/// | a show, album, location | `/partner/{p}/show/{id}`, `…/album/{id}`, `…/location/{id}` |
/// | a document of a show or artist | `/partner/{p}/show/{s}/document/{d}`, `…/artist/{a}/document/{d}` |
/// | the artworks of a show or album | `/partner/{p}/show/{s}/artworks?ids=1&size=all`, `…/album/{a}/artworks?ids=1&size=all` |
/// | the artworks at a location | `/partner/{p}/artworks/all?ids=1&partner_location_id={l}&size=all` |
/// | the documents of a show or artist | `/partner/{p}/show/{s}/documents?ids=1&size=all`,
/// `…/artist/{a}/documents?ids=1&size=all` |
/// | a show's installation shots, cover | `/partner_show/{s}/images?default=0`, `/partner_show/{s}/images?default=1` |
///
/// - Included: the objects in the partner's own lists, and everything under them. Each list under an object is
///   included with its ETag, even if it is empty.
/// - Not included: the partner's own lists. Their members are included with their URLs, which covers the lists' contents.
///   The ETag of an own list changes with each of a million objects. It couldn't be updated in O(log n) a change, and a
///   client that only pulls changes doesn't have it.
public enum CanonicalResource: Sendable, Hashable {
    /// An object of a kind that belongs to no owner.
    case object(Kind, id: String)
    /// A document of a show or artist.
    case document(Owner, id: String)
    /// A list under an object.
    case list(Owner, ObjectList)
}

extension Router {
    /// A resource's canonical URL, relative to the base; `nil` if objects of the kind have no such list or document.
    public func url(of resource: CanonicalResource) -> String? {
        switch resource {
        case .object(let kind, let id): kind.isPart ? nil : object(kind, id).canonicalURL
        case .document(let owner, let id):
            owner.kind.hasDocuments ? document(id, of: owner).canonicalURL : nil
        case .list(let owner, let list):
            owner.kind.lists.contains(list) ? self.list(list, of: owner).listURL : nil
        }
    }

    /// The resource with a canonical URL; `nil` if ``url(of:)`` doesn't return exactly this URL for any resource.
    public func resource(at url: String, among kinds: Kinds = .standard) -> CanonicalResource? {
        guard let target = RequestTarget.parse(url), let found = resource(target, kinds),
            let written = self.url(of: found), UTF8Order.equal(written, url)
        else { return nil }
        return found
    }

    private func resource(_ target: RequestTarget, _ kinds: Kinds) -> CanonicalResource? {
        let at = target.segments
        switch (at.first, at.count) {
        case ("me", 1): return .object(.user, id: "me")
        case (let first?, 2): return kinds[first].map { .object($0, id: at[1]) }
        case ("partner_show", 3): return target["default"].flatMap { images(ofShow: at[1], $0) }
        case ("partner", 3): return .object(.partner, id: partnerID)
        case ("partner", 4):
            if let kind = kinds[at[2]] { return .object(kind, id: at[3]) }
            return target["partner_location_id"].map { .list(Owner(.location, $0), .artworks) }
        case ("partner", 5):
            guard let kind = kinds[at[2]], let list = ObjectList(rawValue: at[4]) else { return nil }
            return .list(Owner(kind, at[3]), list)
        case ("partner", 6): return kinds[at[2]].map { .document(Owner($0, at[3]), id: at[5]) }
        default: return nil
        }
    }

    private func images(ofShow show: String, _ value: String) -> CanonicalResource? {
        ObjectList(rawValue: "images?default=\(value)").map { .list(Owner(.show, show), $0) }
    }
}
