/// The kinds of which a partner has a list of its own, in the plural names of their paths.
public enum PartnerList: String, Sendable, Hashable, CaseIterable {
    case artworks, shows, artists, albums, locations
}

extension Router {
    /// How a list is asked for.
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
    public func list(_ list: PartnerList, _ form: ListForm = .ids, includesPrivate: Bool = false) -> Route {
        let query = includesPrivate ? [NameValue("private", "true")] : []
        return listRoute(underPartner("/\(list.rawValue)"), form, query)
    }

    /// A page of full objects of the partner's own list, of another size than usual: servers have limits of their own.
    /// - Parameter number: from 1.
    public func page(_ number: Int, of list: PartnerList, size: Int) -> Route {
        Route(
            underPartner("/\(list.rawValue)"),
            query: [NameValue("page", String(number)), NameValue("size", String(size))])
    }

    public func showArtworks(_ show: String, _ form: ListForm = .ids) -> Route {
        listRoute("\(self.show(show).path)/artworks", form)
    }

    public func albumArtworks(_ album: String, _ form: ListForm = .ids) -> Route {
        listRoute("\(self.album(album).path)/artworks", form)
    }

    public func locationArtworks(_ location: String, _ form: ListForm = .ids) -> Route {
        listRoute(underPartner("/artworks/all"), form, [NameValue("partner_location_id", location)])
    }

    public func showDocuments(_ show: String, _ form: ListForm = .ids) -> Route {
        listRoute("\(self.show(show).path)/documents", form)
    }

    public func artistDocuments(_ artist: String, _ form: ListForm = .ids) -> Route {
        listRoute(underPartner("/artist/\(encode(artist))/documents"), form)
    }

    /// A page of a show's pictures: its installation shots, or its cover (one or none).
    public func images(show: String, cover: Bool, page: Int) -> Route {
        let path = "/partner_show/\(encode(show))/images"
        let role = [NameValue("default", cover ? "1" : "0")]
        let query = role + [NameValue("page", String(page)), NameValue("size", String(Self.pageSize))]
        return Route(path, query: query, listURL: Route.url(path, role))
    }

    /// Everything of a kind that changed at or after `timestamp` (RFC 3339).
    public func since(_ list: PartnerList, _ timestamp: String) -> Route {
        Route(underPartner("/\(list.rawValue)"), query: [NameValue("since", timestamp)])
    }

    private func listRoute(_ path: String, _ form: ListForm, _ query: [NameValue] = []) -> Route {
        let whole = query + Self.wholeList
        let asked =
            switch form {
            case .ids: whole
            case .validators: whole + [NameValue("validators", "1")]
            case .page(let page):
                query + [NameValue("page", String(page)), NameValue("size", String(Self.pageSize))]
            }
        return Route(path, query: asked, listURL: Route.url(path, Route.sorted(whole)))
    }

    private static let wholeList = [NameValue("ids", "1"), NameValue("size", "all")]
}
