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
        case .object(let kind, let key): try context.store.find(kind, key) != nil
        case .member(let id, _): try context.store.find(.artwork, id) != nil
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
        guard let owner = try context.find(outer.kind, outer.id), owner.body != nil,
            let object = try context.find(.artwork, id), object.body != nil
        else { return .page(try AbsentPage.page(.artwork, id, context), isJSON: isJSON) }
        let key = owner.summary.slug ?? owner.summary.id
        if let path = redirection(
            object.summary, from: id, at: .member(id, of: Owner(outer.kind, key)), isJSON)
        {
            return .redirect(path)
        }
        guard let along = try AlongFinder(context).inObject(owner, object.summary.id) else {
            // It isn't, or no longer, in that context.
            return .redirect(context.href(object.summary) + (isJSON ? PageAddress.suffix : ""))
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

    /// The path with the slug, if the object was requested by its id.
    private func redirection(
        _ summary: ObjectSummary, from key: String, at address: PageAddress, _ isJSON: Bool
    ) -> String? {
        guard let slug = summary.slug, !UTF8Order.equal(slug, key) else { return nil }
        // Another object may have this slug as its id; then only the id is an address.
        guard let other = try? context.store.find(summary.kind, slug),
            UTF8Order.equal(other.summary.id, summary.id)
        else { return nil }
        let path: PageAddress =
            switch address {
            case .objectHistory: .objectHistory(summary.kind, slug)
            case .member(_, let owner): .member(slug, of: owner)
            default: .object(summary.kind, slug)
            }
        return context.href(path) + (isJSON ? PageAddress.suffix : "") + context.target.queryText
    }

    private func picture(_ hash: String, _ isJSON: Bool) throws -> Found {
        guard hash.utf8.count == 64, hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }),
            let file = try context.store.shownPicture(hash, to: context.face)
        else { return .page(MessagePage.unknownAddress, isJSON: isJSON) }
        return .file(file, name: nil)
    }
}
