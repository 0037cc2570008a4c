import Catalogue
import Hummingbird
import MirrorStore

/// Answers lists: ids, ids with validators, pages of full objects, or what changed since a time.
struct ListRoutes {
    let mirror: ServedMirror
    let query: RequestTarget
    let reply: Reply
    /// Held as long as an answer is under way.
    let ticket: RequestLoad.Ticket

    private var store: CatalogueStore { mirror.store }

    /// One of the partner's own lists, in the order of ids.
    func own(_ kind: Kind) throws -> Response {
        // Read before the list is: what changes meanwhile is told again.
        let end = try store.changesEnd()
        let since = query["since"]
        var response =
            if let since { try changed(kind, since: since) } else { try whole(kind) }
        if let end, let name = HTTPFields.Element.Name("Changes-End") { response.headers[name] = end }
        return response
    }

    private func whole(_ kind: Kind) throws -> Response {
        switch try ListQuery(query) {
        case .ids(nil): return reply.json(try mirror.ids(of: kind).body)
        case .validators: return reply.json(try mirror.validators(of: kind))
        case .ids(let page?):
            let ids = try mirror.ids(of: kind).ids
            return reply.json(.ids(ids[page.range(of: ids.count)]))
        case .objects(let page):
            let ids = try mirror.ids(of: kind).ids
            // What was removed since the list was read is left out.
            let objects = try ids[page.range(of: ids.count)].compactMap { try store.served(kind, $0)?.body }
            return reply.json(.values(objects))
        }
    }

    /// No such answer is kept by anybody: the next one is for another time.
    private func changed(_ kind: Kind, since text: String) throws -> Response {
        guard let now = Timestamp(store.timestamp()) else { throw Refusal.failed }
        let since = try SinceQuery.time(text, now: now)
        guard let changed = try store.changed(kind, since: since) else {
            throw Refusal.sinceTooOld
        }
        guard !changed.isEmpty else { return Reply.unkept(.ok, "[]") }
        var response = Reply.unkept(.ok, "")
        response.body = try SinceList(store: store, kind: kind, changed: changed).body(holding: ticket)
        return response
    }

    /// The artworks of a show or album, in its order.
    func members(of owner: Owner) throws -> Response {
        guard try store.served(owner.kind, owner.id) != nil else { throw Refusal.notFound }
        return try artworks(try store.members(of: owner))
    }

    func locationArtworks() throws -> Response {
        guard let location = query["partner_location_id"] else {
            throw Refusal.invalid("partner_location_id")
        }
        guard !location.utf8.contains(0), try store.served(.location, location) != nil else {
            throw Refusal.notFound
        }
        return try artworks(try store.members(of: Owner(.location, location)))
    }

    private func artworks(_ ids: [String]) throws -> Response {
        try list(ids) { id in
            // A member that isn't stored is one all the same.
            try store.served(.artwork, id)?.body ?? JSONObject([("id", .string(id))]).canonicalText
        }
    }

    func documents(of owner: Owner) throws -> Response {
        guard try store.served(owner.kind, owner.id) != nil else { throw Refusal.notFound }
        let documents = try store.served { try $0.documents(of: owner) }
        switch try ListQuery(query) {
        case .ids(nil), .validators: return reply.json(.documents(documents))
        default: return try list(documents.map(\.id)) { try store.servedDocument(owner, $0)?.body }
        }
    }

    private func list(_ ids: [String], object: (String) throws -> String?) throws -> Response {
        switch try ListQuery(query) {
        // Validators are for the partner's own lists: elsewhere ids are answered.
        case .ids(nil), .validators: return reply.json(.ids(ids))
        case .ids(let page?): return reply.json(.ids(ids[page.range(of: ids.count)]))
        case .objects(let page):
            return reply.json(.values(try ids[page.range(of: ids.count)].compactMap(object)))
        }
    }

    /// A page of a show's pictures. Every page has the ETag of the whole list, so that one stands for all.
    func images(ofShow show: String) throws -> Response {
        guard try store.served(.show, show) != nil else { throw Refusal.notFound }
        let roles = try roles()
        let images = try store.served { reader in
            try roles.flatMap { try reader.images(ofShow: show, role: $0) }
        }
        let whole = ListBody.values(images)
        if query["size"] == "all" { return reply.json(whole) }
        let page = try Page(query) ?? Page(number: 1)
        let part = ListBody.values(images[page.range(of: images.count)])
        return reply.json(ListBody(buffer: part.buffer, etag: whole.etag))
    }

    private func roles() throws -> [ImageRole] {
        switch query["default"] {
        case "0": [.installation]
        case "1": [.cover]
        case nil: [.cover, .installation]
        default: throw Refusal.invalid("default")
        }
    }
}
