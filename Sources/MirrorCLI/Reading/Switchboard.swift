import ArgumentParser
import Catalogue
import MirrorStore

/// Finds the object that a kind and id, a path or a URL names.
struct Switchboard {
    let store: CatalogueStore
    /// The mirror's name, for messages.
    let mirror: String

    /// Parses a kind and id, a path or a URL.
    ///
    /// - Parameter partners: names that a path may begin with; `nil` accepts any name.
    /// - Throws: `ValidationError` for words that can't name an object.
    static func target(_ words: [String], partners: [String]? = nil) throws -> SiteTarget {
        if words.count == 2 {
            guard let kind = KindArgument(argument: words[0])?.kind else {
                let kinds = Wording.list(KindArgument.allValueStrings)
                throw ValidationError("There is no kind \(words[0].printable). The kinds are \(kinds).")
            }
            return .object(kind, words[1])
        }
        guard words.count == 1 else {
            throw ValidationError("Name one object: KIND ID, or a path or URL.")
        }
        // A single word must be a path or URL: a kind needs an id.
        let candidates = partners.map { $0.map(Optional.some) } ?? [nil]
        guard words[0].contains("/"),
            let target = candidates.lazy.compactMap({ SitePath.target(words[0], partner: $0) }).first
        else {
            throw ValidationError(
                "\(words[0].printable) is not a path of this partner's site. Give a path such as /artist/x, or KIND ID."
            )
        }
        return target
    }

    /// Parses a kind and id, a path or a URL for this mirror.
    func target(_ words: [String]) throws -> SiteTarget {
        var partners = [mirror]
        if let partner = try store.storedSingle(.partner) {
            partners.append(partner.id)
            if let slug = try store.find(.partner, partner.id)?.summary.slug { partners.append(slug) }
        }
        return try Self.target(words, partners: partners)
    }

    /// - Throws: ``CommandError`` with code `notFound`.
    func detail(_ target: SiteTarget) throws -> ObjectDetail {
        switch target {
        case .partner:
            guard let partner = try store.storedSingle(.partner) else {
                throw CommandError(
                    .notFound,
                    "\(mirror) is empty, so it has no partner to show. Run mirror sync or mirror import first."
                )
            }
            return try find(.partner, partner.id)
        case .list(let kind):
            throw CommandError(
                .notFound,
                "The path names the list of \(kind.plural), not one object. Name one object: KIND ID, or a path or URL."
            )
        case .object(let kind, let key): return try find(kind, key)
        case .within(let kind, let key, of: let outer, let outerKey):
            let owner = try find(outer, outerKey).summary
            if let detail = try store.find(kind, key, within: Owner(outer, owner.id)) { return detail }
            throw CommandError(
                .notFound,
                "The \(outer.name) \(outerKey.shortened) has no \(kind.name) \(key.shortened). See mirror show \(outer.name) \(outerKey.shortened)."
            )
        }
    }

    private func find(_ kind: Kind, _ key: String) throws -> ObjectDetail {
        if let detail = try store.find(kind, key) { return detail }
        // An album may also be named by its name, or by the id that it had before it was pushed.
        if kind == .album, !(try store.albums(called: key).isEmpty),
            let detail = try store.find(.album, album(key).id)
        {
            return detail
        }
        throw notFound(kind, key)
    }

    private func notFound(_ kind: Kind, _ key: String) -> CommandError {
        let also = "mirror list \(kind.name), or mirror search"
        return CommandError(.notFound, "\(mirror) has no \(kind.name) \(key.shortened). See \(also).")
    }

    // MARK: - Albums

    /// Finds an album.
    ///
    /// - Parameter key: an id, a slug, or a name that no other album has.
    /// - Throws: ``CommandError`` with code `notFound`, or `severalAlbums` with the ids of all albums with this name.
    func album(_ key: String) throws -> AlbumSummary {
        let found = try store.albums(called: key)
        guard let first = found.first else {
            throw CommandError(.notFound, "\(mirror) has no album \(key.shortened). See mirror album list.")
        }
        guard found.count == 1 else {
            let ids = Wording.list(found.map(\.id.printable))
            throw CommandError(
                .severalAlbums,
                "\(Wording.count(found.count)) albums are named \(key.shortened): \(ids). Give the id of one."
            )
        }
        return first
    }

    /// The ids of artworks in the order of `keys`, without duplicates.
    func artworks(_ keys: [String], orMembersOf album: String? = nil) throws -> [String] {
        var named: Set<[UInt8]> = []
        return try keys.map { try artwork($0, orMemberOf: album) }.filter {
            named.insert(Array($0.utf8)).inserted
        }
    }

    /// The id of an artwork by its id or slug.
    ///
    /// - Parameter album: an artwork of this album is found even if it isn't stored.
    /// - Throws: ``CommandError`` with code `notFound`.
    func artwork(_ key: String, orMemberOf album: String? = nil) throws -> String {
        let found = try store.find(.artwork, key)?.summary
        if let found, !found.ghost { return found.id }
        if let found, let album, try store.find(.album, album)?.artworks.contains(found.id) == true {
            return found.id
        }
        throw notFound(.artwork, key)
    }
}

extension MirrorHome {
    /// The name of the mirror to use: `name`, or the only mirror in the folder.
    ///
    /// - Throws: ``CommandError`` with code `noMirror` or `severalMirrors`.
    static func name(_ name: String?, of names: [String], in path: String) throws -> String {
        if let name { return name }
        switch names.count {
        case 0:
            throw CommandError(
                .noMirror, "There is no mirror in \(path) yet. Create one with: mirror sync demo")
        case 1: return names[0]
        default:
            throw CommandError(
                .severalMirrors,
                "There are several mirrors: \(Wording.list(names)). Name one of them.")
        }
    }
}

extension String {
    /// The text in the form for messages, at most 60 columns wide.
    fileprivate var shortened: String { printable.truncated(to: 60) }
}
