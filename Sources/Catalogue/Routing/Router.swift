/// Makes the requests of the Partner API from ids. All functions are pure.
///
/// Ids are opaque: each is percent-encoded into one path segment.
public struct Router: Sendable, Hashable {
    /// The end of every server's base URL.
    public static let baseSuffix = "/api/v1"
    /// The number of objects on a page of a paged list.
    public static let pageSize = 20

    /// The partner's id. In the first request of a mirror, it is the partner's slug.
    public let partnerID: String
    /// `/partner/{p}`.
    private let root: String

    /// Creates a router.
    /// - Parameter partner: the partner's id or slug.
    public init(partner: String) {
        partnerID = partner
        root = "/partner/" + PercentEncoding.encode(partner)
    }

    /// Makes a base URL from a server's address.
    ///
    /// Query, fragment and slashes at the end are removed; `/api/v1` is appended if it is missing.
    public static func base(from address: String) -> String {
        var base = address.prefix { $0 != "?" && $0 != "#" }
        while base.hasSuffix("/") { base.removeLast() }
        return base.hasSuffix(baseSuffix) ? String(base) : base + baseSuffix
    }

    // MARK: Objects

    /// `GET /partner/{p}/all`: the partner.
    public func partner() -> Route { Route("\(root)/all") }
    /// `GET /me`: the user that the session is logged in as.
    public func user() -> Route { Route("/me") }

    /// `GET /artwork/{id}`, `GET /partner/{p}/show/{id}`, …: one object. The id of partner and user is ignored.
    public func object(_ kind: Kind, _ id: String) -> Route {
        switch kind {
        case .partner: partner()
        case .user: user()
        default: Route("\(kind.isUnderPartner ? root : "")/\(kind.name)/\(encode(id))")
        }
    }

    /// `GET /partner/{p}/show/{s}/document/{id}`, or under `artist/{a}`: one document.
    public func document(_ id: String, of owner: Owner) -> Route {
        Route("\(root)/\(owner.kind.name)/\(encode(owner.id))/document/\(encode(id))")
    }

    // MARK: Writes

    /// `PUT /partner/{p}/partner_flags`: sets a flag of the partner.
    ///
    /// - Parameters:
    ///   - key: the flag's name. Default: `last_folio_access`, when the mirror was last used.
    ///   - value: for `last_folio_access`, the time (RFC 3339).
    public func partnerFlags(key: String = "last_folio_access", value: String) -> Route {
        let form = [NameValue("key", key), NameValue("value", value)]
        return Route("\(root)/partner_flags", .put, body: .form(form))
    }

    /// `POST /partner/{p}/album`: creates an album.
    ///
    /// - Parameter idempotencyKey: a unique key, stored before sending, so that a repeated request creates no second album.
    public func createAlbum(_ json: JSONObject, idempotencyKey: String) -> Route {
        Route(
            "\(root)/album", .post, headers: [NameValue("Idempotency-Key", idempotencyKey)], body: .json(json)
        )
    }

    /// `PUT /partner/{p}/album/{id}`: changes an album.
    ///
    /// - Parameter ifMatch: the ETag of the version that the change is based on. The server answers with 412 if it has
    ///   another version. Default: no condition.
    public func updateAlbum(_ id: String, _ json: JSONObject, ifMatch: String? = nil) -> Route {
        Route(object(.album, id).path, .put, headers: Self.condition(ifMatch), body: .json(json))
    }

    /// `DELETE /partner/{p}/album/{id}`: deletes an album.
    ///
    /// - Parameter ifMatch: as for ``updateAlbum(_:_:ifMatch:)``.
    public func deleteAlbum(_ id: String, ifMatch: String? = nil) -> Route {
        Route(object(.album, id).path, .delete, headers: Self.condition(ifMatch))
    }

    /// The `If-Match` header; none for a weak ETag, which never matches (RFC 9110 section 13.1.1).
    private static func condition(_ etag: String?) -> [NameValue] {
        guard let etag, !etag.hasPrefix("W/") else { return [] }
        return [NameValue("If-Match", etag)]
    }

    /// `POST /partner/{p}/album/{a}/artwork/{id}`: adds an artwork to an album.
    public func addArtwork(_ artwork: String, toAlbum album: String) -> Route {
        Route(albumMember(artwork, album), .post)
    }

    /// `DELETE /partner/{p}/album/{a}/artwork/{id}`: removes an artwork from an album.
    public func removeArtwork(_ artwork: String, fromAlbum album: String) -> Route {
        Route(albumMember(artwork, album), .delete)
    }

    private func albumMember(_ artwork: String, _ album: String) -> String {
        "\(object(.album, album).path)/artwork/\(encode(artwork))"
    }

    // MARK: About the server

    /// `GET {base}`: the names of the server's extensions.
    public func extensions() -> Route { Route("") }
    /// `GET /partner/{p}/size`: the size of the catalogue, for estimates.
    public func size() -> Route { Route("\(root)/size") }
    /// `GET /status`, beside the base: whether the server is available.
    public func status() -> Route { Route("/status", anchor: .beside) }

    /// `POST /_session`, beside the base: the cookie login. The body contains the password: never log it.
    public func session(name: String, password: String) -> Route {
        let form = [NameValue("name", name), NameValue("password", password)]
        return Route("/_session", .post, anchor: .beside, body: .form(form))
    }

    // MARK: Extensions

    /// `GET /partner/{p}/events/latest`: the cursor at the end of the partner's feed.
    public func latestEvent() -> Route { Route("\(root)/events/latest") }
    /// `GET /partner/{p}/events/{cursor}`: the page of events after a cursor.
    public func events(after event: String) -> Route { Route("\(root)/events/\(encode(event))") }

    /// `GET /partner/{p}/show/{s}/events/latest`: the cursor at the end of a running show's feed.
    public func latestShowEvent(show: String) -> Route { Route("\(root)/show/\(encode(show))/events/latest") }
    /// `GET /partner/{p}/show/{s}/events/{cursor}`: the page of a running show's events after a cursor.
    public func showEvents(show: String, after event: String) -> Route {
        Route("\(root)/show/\(encode(show))/events/\(encode(event))")
    }

    /// `GET /partner/{p}/snapshot`: the complete catalogue in one answer.
    ///
    /// - Parameters:
    ///   - after: a canonical URL. The answer begins behind it; to resume an interrupted snapshot.
    ///   - event: the cursor of the snapshot that is resumed.
    public func snapshot(after url: String? = nil, event: String? = nil) -> Route {
        let after = url.map { NameValue("after", $0) }
        let event = event.map { NameValue("event_id", $0) }
        return Route("\(root)/snapshot", query: [after, event].compactMap(\.self))
    }

    /// `GET /partner/{p}/digest`: a node of the digest trie.
    /// - Parameter prefix: hexadecimal digits; empty for the root.
    public func digest(prefix: String) -> Route {
        Route("\(root)/digest", query: [NameValue("prefix", prefix)])
    }

    private func encode(_ id: String) -> String { PercentEncoding.encode(id) }
}

extension Router {
    /// The form in which a list is requested.
    public enum ListForm: Sendable, Hashable {
        /// All ids in one answer.
        case ids
        /// All ids with ETags in one answer (`validators` extension).
        case validators
        /// A page of full objects, from 1.
        case page(Int)
    }

    /// The partner's own list of a kind.
    /// - Parameter includesPrivate: adds `private=true`, for locations that are not public. Default: `false`.
    public func list(_ kind: Kind, _ form: ListForm = .ids, includesPrivate: Bool = false) -> Route {
        let query = includesPrivate ? [NameValue("private", "true")] : []
        return listRoute("\(root)/\(kind.plural)", form, query)
    }

    /// A page of full objects of the partner's own list, with another size than ``pageSize``.
    ///
    /// - Parameters:
    ///   - number: the page's number, from 1.
    ///   - size: the number of objects on a page. Servers may have a limit.
    public func page(_ number: Int, of kind: Kind, size: Int) -> Route {
        Route(
            "\(root)/\(kind.plural)",
            query: [NameValue("page", String(number)), NameValue("size", String(size))])
    }

    /// A list under an object. Pictures are only listed in pages; `ids` requests the first page.
    public func list(_ list: ObjectList, of owner: Owner, _ form: ListForm = .ids) -> Route {
        switch list {
        case .artworks where owner.kind == .location:
            return listRoute(
                "\(root)/artworks/all", form, [NameValue("partner_location_id", owner.id)])
        case .artworks, .documents:
            // These lists are under the partner, even for kinds whose objects are not.
            let path = "\(root)/\(owner.kind.name)/\(encode(owner.id))/\(list.rawValue)"
            return listRoute(path, form)
        case .installationShots, .cover:
            let path = "/partner_show/\(encode(owner.id))/images"
            let role = [NameValue("default", list == .cover ? "1" : "0")]
            let page = if case .page(let number) = form { number } else { 1 }
            return Route(path, query: role + Self.page(page), listURL: Route.url(path, role))
        }
    }

    /// The objects of a kind that changed at or after `timestamp` (RFC 3339; `since` extension).
    public func since(_ kind: Kind, _ timestamp: String) -> Route {
        Route("\(root)/\(kind.plural)", query: [NameValue("since", timestamp)])
    }

    private func listRoute(_ path: String, _ form: ListForm, _ query: [NameValue] = []) -> Route {
        let idsQuery = query + Self.allIDs
        let formQuery =
            switch form {
            case .ids: idsQuery
            case .validators: idsQuery + [NameValue("validators", "1")]
            case .page(let number): query + Self.page(number)
            }
        return Route(path, query: formQuery, listURL: Route.url(path, Route.sorted(idsQuery)))
    }

    private static let allIDs = [NameValue("ids", "1"), NameValue("size", "all")]

    private static func page(_ number: Int) -> [NameValue] {
        [NameValue("page", String(number)), NameValue("size", String(pageSize))]
    }
}
