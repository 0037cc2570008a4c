/// Maps ids to the requests of the Partner API: pure functions, one for every request.
///
/// Ids are opaque: each is percent-encoded into one segment, whatever it holds.
public struct Router: Sendable, Hashable {
    /// What the base of every server ends in.
    public static let baseSuffix = "/api/v1"
    /// Objects on a page of a paged list.
    public static let pageSize = 20

    /// The partner's slug in the first request, its id after it.
    public let partnerID: String
    /// `/partner/{p}`.
    private let root: String

    public init(partner: String) {
        partnerID = partner
        root = "/partner/" + PercentEncoding.encode(partner)
    }

    /// A server's address as a base: without a slash at the end, query and fragment, with `/api/v1` where that is
    /// missing.
    public static func base(from address: String) -> String {
        var base = address.prefix { $0 != "?" && $0 != "#" }
        while base.hasSuffix("/") { base.removeLast() }
        return base.hasSuffix(baseSuffix) ? String(base) : base + baseSuffix
    }

    // MARK: Objects

    public func partner() -> Route { Route("\(root)/all") }
    public func user() -> Route { Route("/me") }

    public func object(_ kind: Kind, _ id: String) -> Route {
        switch kind {
        case .partner: partner()
        case .user: user()
        default: Route("\(kind.isUnderPartner ? root : "")/\(kind.name)/\(encode(id))")
        }
    }

    public func document(_ id: String, of owner: Owner) -> Route {
        Route("\(root)/\(owner.kind.name)/\(encode(owner.id))/document/\(encode(id))")
    }

    // MARK: Writes

    /// Records when the mirror was last used (`last_folio_access`, RFC 3339).
    public func partnerFlags(key: String = "last_folio_access", value: String) -> Route {
        let form = [NameValue("key", key), NameValue("value", value)]
        return Route("\(root)/partner_flags", .put, body: .form(form))
    }

    /// - Parameter idempotencyKey: made and stored before sending, so that a repeat makes no second album.
    public func createAlbum(_ json: JSONObject, idempotencyKey: String) -> Route {
        Route(
            "\(root)/album", .post, headers: [NameValue("Idempotency-Key", idempotencyKey)], body: .json(json)
        )
    }

    /// - Parameter ifMatch: the ETag of the version that is meant; the server refuses (`412`) if it has another by now.
    public func updateAlbum(_ id: String, _ json: JSONObject, ifMatch: String? = nil) -> Route {
        Route(object(.album, id).path, .put, headers: Self.condition(ifMatch), body: .json(json))
    }

    /// - Parameter ifMatch: as for ``updateAlbum(_:_:ifMatch:)``.
    public func deleteAlbum(_ id: String, ifMatch: String? = nil) -> Route {
        Route(object(.album, id).path, .delete, headers: Self.condition(ifMatch))
    }

    /// A weak ETag never matches (RFC 9110 section 13.1.1), so it is no condition.
    private static func condition(_ etag: String?) -> [NameValue] {
        guard let etag, !etag.hasPrefix("W/") else { return [] }
        return [NameValue("If-Match", etag)]
    }

    public func addArtwork(_ artwork: String, toAlbum album: String) -> Route {
        Route(albumMember(artwork, album), .post)
    }

    public func removeArtwork(_ artwork: String, fromAlbum album: String) -> Route {
        Route(albumMember(artwork, album), .delete)
    }

    private func albumMember(_ artwork: String, _ album: String) -> String {
        "\(object(.album, album).path)/artwork/\(encode(artwork))"
    }

    // MARK: About the server

    /// `GET {base}`: which extensions there are.
    public func extensions() -> Route { Route("") }
    public func size() -> Route { Route("\(root)/size") }
    public func status() -> Route { Route("/status", anchor: .beside) }

    /// The cookie login. Its body holds the password: never log it.
    public func session(name: String, password: String) -> Route {
        let form = [NameValue("name", name), NameValue("password", password)]
        return Route("/_session", .post, anchor: .beside, body: .form(form))
    }

    // MARK: Extensions

    public func latestEvent() -> Route { Route("\(root)/events/latest") }
    public func events(after event: String) -> Route { Route("\(root)/events/\(encode(event))") }

    /// The feed of a show that is running.
    public func latestShowEvent(show: String) -> Route { Route("\(root)/show/\(encode(show))/events/latest") }
    public func showEvents(show: String, after event: String) -> Route {
        Route("\(root)/show/\(encode(show))/events/\(encode(event))")
    }

    /// The whole catalogue in one answer; with `after` what follows that URL in it.
    public func snapshot(after url: String? = nil, event: String? = nil) -> Route {
        let after = url.map { NameValue("after", $0) }
        let event = event.map { NameValue("event_id", $0) }
        return Route("\(root)/snapshot", query: [after, event].compactMap(\.self))
    }

    /// A node of the digest trie; the empty prefix is its root.
    public func digest(prefix: String) -> Route {
        Route("\(root)/digest", query: [NameValue("prefix", prefix)])
    }

    private func encode(_ id: String) -> String { PercentEncoding.encode(id) }
}

extension Router {
    /// How a list is requested.
    public enum ListForm: Sendable, Hashable {
        /// The whole list of ids in one answer.
        case ids
        /// The whole list of ids with ETags (`validators` extension).
        case validators
        /// A page of full objects, from 1.
        case page(Int)
    }

    /// The partner's own list of a kind.
    /// - Parameter includesPrivate: `private=true`, for locations where the server knows it.
    public func list(_ kind: Kind, _ form: ListForm = .ids, includesPrivate: Bool = false) -> Route {
        let query = includesPrivate ? [NameValue("private", "true")] : []
        return listRoute("\(root)/\(kind.plural)", form, query)
    }

    /// A page of full objects of the partner's own list, of another size than usual: servers have limits of their own.
    /// - Parameter number: from 1.
    public func page(_ number: Int, of kind: Kind, size: Int) -> Route {
        Route(
            "\(root)/\(kind.plural)",
            query: [NameValue("page", String(number)), NameValue("size", String(size))])
    }

    /// A list that an object has. Pictures are only listed in pages; `ids` requests the first.
    public func list(_ list: ObjectList, of owner: Owner, _ form: ListForm = .ids) -> Route {
        switch list {
        case .artworks where owner.kind == .location:
            return listRoute(
                "\(root)/artworks/all", form, [NameValue("partner_location_id", owner.id)])
        case .artworks, .documents:
            // All of these lists stand under the partner, also those of kinds that don't.
            let path = "\(root)/\(owner.kind.name)/\(encode(owner.id))/\(list.rawValue)"
            return listRoute(path, form)
        case .installationShots, .cover:
            let path = "/partner_show/\(encode(owner.id))/images"
            let role = [NameValue("default", list == .cover ? "1" : "0")]
            let page = if case .page(let number) = form { number } else { 1 }
            return Route(path, query: role + Self.page(page), listURL: Route.url(path, role))
        }
    }

    /// Everything of a kind that changed at or after `timestamp` (RFC 3339).
    public func since(_ kind: Kind, _ timestamp: String) -> Route {
        Route("\(root)/\(kind.plural)", query: [NameValue("since", timestamp)])
    }

    private func listRoute(_ path: String, _ form: ListForm, _ query: [NameValue] = []) -> Route {
        let whole = query + Self.wholeList
        let asked =
            switch form {
            case .ids: whole
            case .validators: whole + [NameValue("validators", "1")]
            case .page(let number): query + Self.page(number)
            }
        return Route(path, query: asked, listURL: Route.url(path, Route.sorted(whole)))
    }

    private static let wholeList = [NameValue("ids", "1"), NameValue("size", "all")]

    private static func page(_ number: Int) -> [NameValue] {
        [NameValue("page", String(number)), NameValue("size", String(pageSize))]
    }
}
