import ArgumentParser
import Catalogue
import MirrorStore

/// Finds the object that words, a path or a URL mean.
struct Switchboard {
    let store: CatalogueStore
    /// The mirror's name, for messages.
    let mirror: String

    /// What is asked for, before it is looked up.
    enum Target: Equatable {
        case partner
        case list(Kind)
        case object(Kind, String)
        case within(Kind, String, of: Kind, String)
    }

    /// What words mean.
    ///
    /// - Parameter partners: names, one of which may stand in front of a path; `nil` while they aren't known: any may.
    /// - Throws: `ValidationError` for words that can mean nothing.
    static func target(_ words: [String], partners: [String]? = nil) throws -> Target {
        if words.count == 2 {
            guard let kind = KindArgument(argument: words[0])?.kind else {
                let kinds = Wording.list(KindArgument.allValueStrings)
                throw ValidationError("There is no kind \(words[0].printable). Kinds are \(kinds).")
            }
            return .object(kind, words[1])
        }
        guard words.count == 1 else {
            throw ValidationError("Name one object: KIND ID, or a path or URL.")
        }
        // A word alone is a kind without its id, unless it is a path.
        let candidates = partners.map { $0.map(Optional.some) } ?? [nil]
        guard words[0].contains("/"),
            let target = candidates.lazy.compactMap({ SitePath.target(words[0], partner: $0) }).first
        else {
            throw ValidationError(
                "\(words[0].printable) is no path of this partner's site. Give one such as /artist/x, or KIND ID."
            )
        }
        return switch target {
        case .partner: .partner
        case .list(let kind): .list(kind)
        case .object(let kind, let key): .object(kind, key)
        case .within(let kind, let key, of: let outer, let outerKey):
            .within(kind, key, of: outer, outerKey)
        }
    }

    /// What words mean in this mirror.
    func target(_ words: [String]) throws -> Target {
        var partners = [mirror]
        if let partner = try store.storedSingle(.partner) {
            partners.append(partner.id)
            if let slug = try store.find(.partner, partner.id)?.summary.slug { partners.append(slug) }
        }
        return try Self.target(words, partners: partners)
    }

    /// - Throws: ``CommandError`` with code `notFound`.
    func detail(_ target: Target) throws -> ObjectDetail {
        switch target {
        case .partner:
            guard let partner = try store.storedSingle(.partner) else {
                throw CommandError(.notFound, "\(mirror) is empty. Run mirror sync or mirror import first.")
            }
            return try find(.partner, partner.id)
        case .list(let kind):
            throw CommandError(.notFound, "That is a list of \(kind.plural), not one object.")
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
        // Albums are also meant by their names, and by the ids under which they were made.
        if kind == .album, !(try store.albums(called: key).isEmpty) {
            let id = try AlbumChoice(store: store, mirror: mirror).album(key).id
            if let detail = try store.find(.album, id) { return detail }
        }
        throw CommandError(
            .notFound,
            "\(mirror) has no \(kind.name) \(key.shortened). See mirror list \(kind.name), or mirror search."
        )
    }
}

extension String {
    /// As a message names it, however long it is.
    fileprivate var shortened: String { printable.truncated(to: 60) }
}
