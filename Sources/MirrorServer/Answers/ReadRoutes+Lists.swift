import Catalogue
import Hummingbird
import MirrorStore

// Lists: ids, ids with validators, pages of full objects, or changes since a time.
extension ReadRoutes {
    /// One of the partner's own lists, sorted by id.
    func list(of kind: Kind) throws -> Response {
        // Read before the list, so that changes made meanwhile are reported again.
        let end = try store.changesEnd()
        var response =
            if let since = query["since"] { try changed(kind, since: since) } else { try complete(kind) }
        Self.setChangesEnd(end, of: &response)
        return response
    }

    /// Sets the header `Changes-End`: the position in the change log up to which an answer reports.
    static func setChangesEnd(_ end: String?, of response: inout Response) {
        if let end, let name = HTTPFields.Element.Name("Changes-End") { response.headers[name] = end }
    }

    private func complete(_ kind: Kind) throws -> Response {
        switch try ListQuery(query) {
        case .ids(nil): return reply.json(try mirror.ids(of: kind).body)
        case .validators: return reply.json(try mirror.validators(of: kind))
        case .ids(let page?):
            let ids = try mirror.ids(of: kind).ids
            return reply.json(.ids(ids[page.range(of: ids.count)]))
        case .objects(let page):
            // Objects that were deleted since the list was read are left out.
            return try objects(of: mirror.ids(of: kind).ids, page) { try store.served(kind, $0)?.body }
        }
    }

    private func objects(of ids: [String], _ page: Page, body: (String) throws -> String?) throws -> Response
    {
        reply.json(.values(try ids[page.range(of: ids.count)].compactMap(body)))
    }

    /// Clients may not cache the answer, because each request is for another time.
    private func changed(_ kind: Kind, since text: String) throws -> Response {
        let since = try SinceQuery.time(text, now: now())
        guard let changed = try store.changed(kind, since: since) else { throw Refusal.sinceTooOld }
        guard !changed.isEmpty else { return Reply.uncacheable(.ok, "[]") }
        var response = Reply.uncacheable(.ok, "")
        response.body = try SinceList(store: store, kind: kind, changed: changed).body(holding: ticket)
        return response
    }

    /// The artworks of an object, in their stored order, or its documents.
    func members(_ list: ObjectList, of owner: Owner) throws -> Response {
        func ofOwner<T>(_ read: (ServedReader) throws -> T) throws -> T {
            try store.served { reader in
                guard try reader.object(owner.kind, owner.id) != nil else { throw Refusal.notFound }
                return try read(reader)
            }
        }
        let form = try ListQuery(query)
        switch form {
        // Only the partner's own lists have validators; other lists are answered with ids.
        case .ids(nil), .validators: return reply.json(try ofOwner { try $0.list(list, of: owner) })
        case .ids(let page?), .objects(let page):
            let ids = try ofOwner { reader in
                try list == .documents ? reader.documents(of: owner).map(\.id) : reader.members(of: owner)
            }
            if case .ids = form { return reply.json(.ids(ids[page.range(of: ids.count)])) }
            return try objects(of: ids, page) { id in
                if list == .documents { return try store.servedDocument(owner, id)?.body }
                // A member that isn't stored is still a member of the list.
                return try store.served(.artwork, id)?.body ?? JSONObject([("id", .string(id))]).canonicalText
            }
        }
    }

    func locationArtworks() throws -> Response {
        guard let location = query["partner_location_id"] else {
            throw Refusal.invalid("partner_location_id")
        }
        guard !location.utf8.contains(0) else { throw Refusal.notFound }
        return try members(.artworks, of: Owner(.location, location))
    }

    /// A page of a show's pictures. Each page has the ETag of the complete list, so that one request validates all pages.
    func images(ofShow show: String) throws -> Response {
        guard try store.served(.show, show) != nil else { throw Refusal.notFound }
        let roles: [ImageRole] =
            switch query["default"] {
            case "0": [.installation]
            case "1": [.cover]
            case nil: [.cover, .installation]
            default: throw Refusal.invalid("default")
            }
        let images = try store.served { reader in
            try roles.flatMap { try reader.images(ofShow: show, role: $0) }
        }
        let whole = ListBody.values(images)
        if query["size"] == "all" { return reply.json(whole) }
        let page = try Page(query) ?? Page(number: 1)
        let part = ListBody.values(images[page.range(of: images.count)])
        return reply.json(ListBody(buffer: part.buffer, etag: whole.etag))
    }
}

/// An answer of the `since` extension: the current state of each changed object, or a tombstone.
///
/// Only the ids are kept in memory. The objects are read in parts, as fast as the connection sends them. Each part is read
/// in one transaction, and may contain a newer state than the change that selected the object.
private struct SinceList {
    let store: CatalogueStore
    let kind: Kind
    let changed: [ChangedSince]

    /// The number of bytes, and of objects, after which a part ends.
    private static let partSize = 128 * 1024, partCount = 500

    /// The response body. A list of one part has a `Content-Length`; a longer list is streamed.
    ///
    /// - Parameter token: retained until the last byte of a streamed list was sent.
    func body(holding token: some Sendable) throws -> ResponseBody {
        let first = try part(from: 0)
        guard first.end < changed.count else { return ResponseBody(byteBuffer: first.bytes) }
        return ResponseBody { writer in
            var part = first
            try await writer.write(part.bytes)
            while part.end < changed.count {
                part = try await offloadBlocking { [end = part.end] in try self.part(from: end) }
                try await writer.write(part.bytes)
            }
            try await writer.finish(nil)
            withExtendedLifetime(token) {}
        }
    }

    private func part(from start: Int) throws -> (bytes: ByteBuffer, end: Int) {
        try store.served { reader in
            var list = ListWriter(after: start)
            while list.count < changed.count, list.size < Self.partSize,
                list.count - start < Self.partCount
            {
                let change = changed[list.count]
                if let object = try reader.listed(kind, change.id) {
                    list.append(
                        elementID: change.id, etag: object.etag,
                        lists: try reader.listETags(of: Owner(kind, change.id)), object: object.body)
                } else {
                    list.append(deletedAt: change.at, elementID: change.id)
                }
            }
            let end = list.count
            return (list.part(isLast: end == changed.count), end)
        }
    }
}
