import Catalogue
import MirrorStore

/// Finds the page at an address below a mirror.
struct PageFinder {
    enum Found {
        case page(any WebPage, isJSON: Bool)
        /// Another path of this server.
        case redirect(String)
        /// A stored file; with a name if it is a download.
        case file(StoredFile, name: String?)
    }

    let context: PageContext

    /// - Parameter segments: those after the mirror; only `.json` for the JSON of the home page.
    func find(_ segments: ArraySlice<String>) throws -> Found {
        if Array(segments) == [PageAddress.suffix] { return try page(at: .home, isJSON: true) }
        let kinds = context.store.kinds
        guard let address = PageAddress.parse(segments, among: kinds) else {
            guard let address = PageAddress.parseJSON(segments, among: kinds) else {
                return .page(MessagePage.unknownAddress, isJSON: false)
            }
            return try page(at: address, isJSON: true)
        }
        // An exact id wins over the suffix.
        if let bare = address.withoutSuffix, try !exists(address) { return try page(at: bare, isJSON: true) }
        return try page(at: address, isJSON: false)
    }

    private func exists(_ address: PageAddress) throws -> Bool {
        switch address {
        case .object(let kind, let key): try context.find(kind, key) != nil
        case .member(let id, _): try context.find(.artwork, id) != nil
        default: false
        }
    }

    private func page(at address: PageAddress, isJSON: Bool) throws -> Found {
        switch address {
        case .object(let kind, let key), .objectHistory(let kind, let key):
            guard let object = try context.find(kind, key) else {
                if case .objectHistory = address, let page = try ObjectHistoryPage(gone: kind, key, context) {
                    return .page(page, isJSON: isJSON)
                }
                return .page(try AbsentPage.page(kind, key, context), isJSON: isJSON)
            }
            if let path = redirection(object.summary, from: key, at: address, isJSON) {
                return .redirect(path)
            }
            guard object.body != nil else {
                // Something may still refer to a deleted object, which then is a ghost.
                if case .objectHistory = address,
                    let page = try ObjectHistoryPage(gone: kind, object.summary.id, context)
                {
                    return .page(page, isJSON: isJSON)
                }
                return .page(try AbsentPage.page(ghost: object.summary, context), isJSON: isJSON)
            }
            if case .objectHistory = address {
                return .page(try ObjectHistoryPage(object, context), isJSON: isJSON)
            }
            return .page(try self.page(of: object), isJSON: isJSON)
        case .home:
            if let page = try AbsentPage.emptyMirror(context) { return .page(page, isJSON: isJSON) }
            return .page(try HomePage(context), isJSON: isJSON)
        case .history: return .page(try HistoryPage(context), isJSON: isJSON)
        case .run(let number):
            if let page = try RunPage(number, context) { return .page(page, isJSON: isJSON) }
            return .page(AbsentPage.unknownRun(number), isJSON: isJSON)
        case .list(.artwork): return .page(try ArtworksPage(context), isJSON: isJSON)
        case .list(let kind) where CatalogueStore.namedKinds.contains(kind):
            return .page(try NamesPage(kind, context), isJSON: isJSON)
        case .search: return .page(try SearchPage(context), isJSON: isJSON)
        case .member(let id, let owner): return try member(id, of: owner, isJSON)
        case .document(let id, let owner): return try document(id, of: owner, isJSON)
        case .picture(let hash): return try picture(hash, isJSON)
        default: break
        }
        return .page(MessagePage.unknownAddress, isJSON: isJSON)
    }

    private func page(of object: FoundObject) throws -> any WebPage {
        switch object.summary.kind {
        case .artwork: try ArtworkPage(object, along: AlongFinder(context).inList(object.summary.id), context)
        case .artist: try ArtistPage(object, context)
        default: try MembersPage(object, context)
        }
    }

    /// An artwork in the context of another object.
    private func member(_ id: String, of outer: Owner, _ isJSON: Bool) throws -> Found {
        guard let object = try context.find(.artwork, id) else {
            return .page(try AbsentPage.page(.artwork, id, context), isJSON: isJSON)
        }
        guard object.body != nil else {
            return .page(try AbsentPage.page(ghost: object.summary, context), isJSON: isJSON)
        }
        // The artwork's own page, without a context.
        let alone = Found.redirect(context.href(object.summary) + (isJSON ? PageAddress.suffix : ""))
        guard let owner = try context.find(outer.kind, outer.id), owner.body != nil else { return alone }
        let key = owner.summary.key, own = object.summary.key
        if !UTF8Order.equal(key, outer.id) || !UTF8Order.equal(own, id) {
            return .redirect(path(.member(own, of: Owner(outer.kind, key)), isJSON))
        }
        guard let along = try AlongFinder(context).inObject(owner, object.summary.id) else {
            // It isn't, or no longer, in that context.
            return alone
        }
        return .page(try ArtworkPage(object, along: along, context), isJSON: isJSON)
    }

    private func document(_ id: String, of outer: Owner, _ isJSON: Bool) throws -> Found {
        guard let owner = try context.find(outer.kind, outer.id), owner.body != nil,
            let file = try context.store.file(ofDocument: id, of: Owner(outer.kind, owner.summary.id))
        else { return .page(MessagePage.unknownAddress, isJSON: isJSON) }
        let documents = try context.store.documents(of: Owner(outer.kind, owner.summary.id), limit: 1_000)
        let document = documents.first { UTF8Order.equal($0.id, id) }
        return .file(file, name: document?.filename ?? document?.title ?? id)
    }

    /// The path by which pages link to the object, if it was requested by another one. As that path leads to the same object,
    /// no redirection follows another.
    private func redirection(
        _ summary: ObjectSummary, from key: String, at address: PageAddress, _ isJSON: Bool
    ) -> String? {
        let own = summary.key
        guard !UTF8Order.equal(own, key) else { return nil }
        let isHistory = if case .objectHistory = address { true } else { false }
        return path(isHistory ? .objectHistory(summary.kind, own) : .object(summary.kind, own), isJSON)
    }

    /// The path of another page with the query of the requested one.
    private func path(_ address: PageAddress, _ isJSON: Bool) -> String {
        context.href(address) + (isJSON ? PageAddress.suffix : "") + context.target.queryText
    }

    private func picture(_ hash: String, _ isJSON: Bool) throws -> Found {
        guard hash.utf8.count == 64, hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }),
            let file = try context.store.shownPicture(hash, to: context.face)
        else { return .page(MessagePage.unknownAddress, isJSON: isJSON) }
        return .file(file, name: nil)
    }
}
