import Catalogue
import MirrorStore

/// The page of a show, an album or a location: its text, its artworks in their order, a wall, and what belongs to it.
struct MembersPage: WebPage {
    static let template = "object"

    /// The number of artworks on a page. A caption with a picture takes about 480 bytes of at most 60 kB.
    static let pageSize = 60
    /// The works from which a wall is made.
    private static let mostTried = 100

    private let object: FoundObject
    private let subtitle: [Fact.Part]
    private let intro: LongText?
    private let grid: WorksGrid
    private let listing: ArtworkListing
    private let start: Int
    private let blocks: [PageBlock]
    private let notes: ObjectNotes?
    private let ownHref: String
    private let paths: (previous: String?, next: String?)

    init(_ object: FoundObject, _ context: PageContext) throws {
        let kind = object.summary.kind, key = object.summary.key
        let owner = Owner(kind, object.summary.id)
        self.object = object
        ownHref = context.href(object.summary)
        intro = object.body.flatMap {
            LongText(
                field: "description", of: $0, jsonHref: context.href(object.summary) + PageAddress.suffix)
        }
        subtitle = try ObjectSubtitle.parts(object, context)
        let position = PagePosition(context.target, membersOf: owner)
        listing = try context.store.members(
            of: owner, for: context.face, from: position, limit: Self.pageSize)
        let first =
            try listing.previous == nil
            ? nil
            : listing.items.first.flatMap {
                try context.store.neighbours(of: $0.id, among: owner, for: context.face)?.number
            }
        start = first ?? 1
        grid = WorksGrid(
            items: listing.items, owner: Owner(kind, key), detail: kind == .show ? .full : .none,
            context: context)
        paths = ListPaging.paths(previous: listing.previous, next: listing.next, ownHref)
        notes = try ObjectNotes(about: object.summary, context)
        let record = try PageBlock.facts(RecordFacts.facts(object, context))
        blocks =
            try Self.blocks(object, owner, listing, start: start, grid, paths, context)
            + [notes.map { PageBlock.prose($0.text) }, record].compactMap(\.self)
    }

    private static func blocks(
        _ object: FoundObject, _ owner: Owner, _ listing: ArtworkListing, start: Int, _ grid: WorksGrid,
        _ paths: (previous: String?, next: String?), _ context: PageContext
    ) throws -> [PageBlock] {
        let kind = owner.kind
        let views = kind == .show ? try ShowViews.block(of: owner, context) : nil
        let artists = kind == .show ? try RelatedNames.artists(ofShow: owner, context) : nil
        // All lists of a large show together would make a page of 80 kB.
        let most = views != nil && artists != nil ? Wall.most(beside: grid.items.count) : Wall.maximumWorks
        let wall =
            listing.previous == nil && kind != .location
            ? try Self.wall(owner, listing, grid, most: most, context) : nil
        let works =
            listing.items.isEmpty
            ? PageBlock.prose(try Self.nothing(in: kind, context))
            : PageBlock.grid(
                kind == .show ? "Checklist" : "Artworks", count: listing.total,
                style: kind == .show ? .numbered : .hang, start: start, grid.captions(),
                paging: ListPaging.shown(
                    count: listing.items.count, total: listing.total, start: start, paths))
        var blocks: [PageBlock] = []
        if kind == .show {
            if let wall { blocks.append(.wall("The works, to scale", wall)) }
            blocks.append(works)
            blocks += [views].compactMap(\.self)
            blocks += PageBlock.pair(try DocumentRows.block(of: owner, object, context), artists)
        } else {
            blocks.append(works)
            if let wall { blocks.append(.wall("To scale", wall)) }
            if kind == .location { blocks += try [RelatedRows.shows(of: owner, context)].compactMap(\.self) }
        }
        return blocks
    }

    /// What a show, album or location without artworks says in their place.
    private static func nothing(in kind: Kind, _ context: PageContext) throws -> LongText {
        let place = kind == .location ? "at this location" : "in this \(kind.name)"
        // Before the end of the first sync, none may only mean none yet.
        let sentence =
            try EmptyList.isBeforeIndex(context)
            ? "No artworks \(place) are here yet." : "No artworks \(place) are here."
        return LongText(
            field: "works", heading: "Artworks", paragraphs: [sentence], isCut: false, jsonHref: "")
    }

    /// The wall of the first page, for which works of the next are tried, too.
    private static func wall(
        _ owner: Owner, _ listing: ArtworkListing, _ grid: WorksGrid, most: Int, _ context: PageContext
    ) throws -> Wall? {
        var items = grid.items
        if let next = listing.next {
            items +=
                try context.store.members(
                    of: owner, for: context.face, from: .after(next), limit: mostTried - items.count
                ).items
        }
        return try WorksGrid(items: items, owner: grid.owner, context: context).wall(
            owner.kind == .show ? .show(name: nil) : .album(name: nil), total: listing.total,
            most: most)
    }

    var title: String { LongText.cut(object.summary.name ?? object.summary.id, to: 300).text }
    var description: String? { intro?.paragraphs.first ?? subtitle.map(\.text).joined() }
    var canonical: String? { ownHref }
    var sharePicture: String? {
        grid.items.lazy.compactMap(\.picture.choice).first.map { grid.context.href($0.file) }
    }
    var section: PageSection? { PageSection(entry: .kind(object.summary.kind), isExact: false) }
    var neighbours: (previous: String?, next: String?) { paths }

    var shown: Shown {
        [
            "heading": .string(title), "headingCount": false,
            "subtitle": .part(subtitle.isEmpty ? nil : ["parts": .many(subtitle.map(\.shown))]),
            "intro": .part(intro?.shown), "blocks": .many(blocks.map(\.shown)),
        ]
    }

    var json: JSONObject {
        get throws {
            var json = listed
            let owner = Owner(object.summary.kind, object.summary.id), context = grid.context
            if owner.kind == .show {
                json["views"] = try ShowViews.json(of: owner, context)
                json["documents"] = try DocumentRows.json(of: owner, object, context)
                json["artists"] = try RelatedJSON.list(.artist, of: owner, context)
            }
            json["notes"] = notes?.json
            if owner.kind == .location { json["shows"] = try RelatedJSON.list(.show, of: owner, context) }
            return json
        }
    }

    /// The object and its artworks.
    private var listed: JSONObject {
        var json = JSONObject([
            ("id", .string(object.summary.id)), ("kind", .string(object.summary.kind.name)),
            ("href", .string(ownHref)),
            ("object", .object(object.body ?? JSONObject())), ("items", grid.json),
        ])
        json["total"] = .some(listing.total.map { .number(JSONNumber($0)) } ?? .null)
        json["next"] = .some(paths.next.map { .string($0) } ?? .null)
        json["previous"] = .some(paths.previous.map { .string($0) } ?? .null)
        return json
    }
}
