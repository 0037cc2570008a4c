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
    public func list(_ kind: Kind, _ form: ListForm = .ids, includesPrivate: Bool = false) -> Route {
        let query = includesPrivate ? [NameValue("private", "true")] : []
        return listRoute(underPartner("/\(kind.plural)"), form, query)
    }

    /// A page of full objects of the partner's own list, of another size than usual: servers have limits of their own.
    /// - Parameter number: from 1.
    public func page(_ number: Int, of kind: Kind, size: Int) -> Route {
        Route(
            underPartner("/\(kind.plural)"),
            query: [NameValue("page", String(number)), NameValue("size", String(size))])
    }

    /// A list that an object has. Pictures are listed in pages alone: their first is asked for by `ids`.
    public func list(_ list: ObjectList, of owner: Owner, _ form: ListForm = .ids) -> Route {
        switch list {
        case .artworks where owner.kind == .location:
            return listRoute(
                underPartner("/artworks/all"), form, [NameValue("partner_location_id", owner.id)])
        case .artworks, .documents:
            // All of these lists stand under the partner, also those of kinds that don't.
            let path = underPartner("/\(owner.kind.name)/\(encode(owner.id))/\(list.rawValue)")
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
        Route(underPartner("/\(kind.plural)"), query: [NameValue("since", timestamp)])
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
