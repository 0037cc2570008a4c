import Catalogue
import MirrorStore

/// The shows of an artist or at a location.
enum RelatedRows {
    private static let most = 60

    static func shows(of owner: Owner, _ context: PageContext) throws -> PageBlock? {
        let (shows, total) = try context.store.related(.show, to: owner, limit: most)
        guard !shows.isEmpty else { return nil }
        let rows = try shows.map { show in
            let found = try context.find(.show, show.id)
            let dates = PageDates.span(from: found?.text("start_at"), to: found?.text("end_at"))
            return PageBlock.Row(
                href: context.href(show), text: LongText.cut(show.name ?? show.id, to: 200).text,
                detail: dates)
        }
        let all = total > shows.count ? ("All shows", context.href(.list(.show))) : nil
        return .rows("Shows", id: "shows", count: total, rows, after: all)
    }
}

/// The artists of a show.
enum RelatedNames {
    /// The works on the same page name theirs, too.
    private static let most = 40

    static func artists(ofShow owner: Owner, _ context: PageContext) throws -> PageBlock? {
        let (artists, total) = try context.store.related(.artist, to: owner, limit: most)
        guard !artists.isEmpty else { return nil }
        let names = try artists.map { artist in
            let typed = try context.store.fetch(Artist.self, id: artist.id)
            return PageBlock.Name(
                href: context.href(artist),
                text: LongText.cut(typed?.listName ?? artist.name ?? artist.id, to: 100).text)
        }
        .sorted { (SortKey.folded($0.text) ?? "~") < (SortKey.folded($1.text) ?? "~") }
        let json = context.href(.object(owner.kind, owner.id)) + PageAddress.suffix
        return .names(
            "Artists", id: "artists", count: total, names,
            after: CutList.link("artists", total, shown: most, json))
    }
}

/// The objects related to another as JSON, of which the page shows the first.
enum RelatedJSON {
    static func list(_ kind: Kind, of owner: Owner, _ context: PageContext) throws -> JSONValue {
        .array(
            try context.store.related(kind, to: owner, limit: CutList.mostInJSON).items.map { found in
                var json = JSONObject([("id", .string(found.id)), ("href", .string(context.href(found)))])
                json["name"] = found.name.map(JSONValue.string)
                return .object(json)
            })
    }
}
