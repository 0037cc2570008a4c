import Catalogue
import MirrorStore

/// The first page of a mirror: what the museum has, a wall to scale, what is on now, albums, artists, and what changed lately.
struct HomePage: WebPage {
    static let template = "object"

    private let summary: String
    private let blocks: [PageBlock]
    private let museum: String
    private let counts: [(kind: Kind, count: Int)]
    private let picture: String?
    private let base: String
    private let context: PageContext

    /// With more artists, the page has only the letters.
    static let mostArtists = 200
    static let mostAlbums = 12
    static let mostChanges = 8
    static let mostShows = 3
    /// The works of an album or show from which a wall is made.
    private static let mostHung = 60

    init(_ context: PageContext) throws {
        let store = context.store
        museum = context.frame.museum
        base = context.frame.base
        self.context = context
        counts = try store.shownCounts(for: context.face)
        // An index that isn't made yet would say that there are none.
        let isUncounted = try counts.first?.kind != .artwork && EmptyList.isBeforeIndex(context)
        let pictures = try isUncounted ? nil : store.pictureCounts(for: context.face)
        let withPictures = try isUncounted || pictures != nil ? nil : FirstPictures.count(context)
        summary =
            isUncounted
            ? EmptyList.beforeIndex
            : HomeSummary.text(counts, pictures: pictures, withPictures: withPictures)
        let shows = try store.runningShows(at: context.now, limit: Self.mostShows).compactMap {
            try context.find(.show, $0)
        }
        let albums = try store.names(.album, for: context.face, limit: Self.mostAlbums)
        var blocks: [PageBlock] = [], picture: String?
        if let (block, first) = try Self.wall(shows, context) {
            blocks.append(block)
            picture = first
        }
        let parts = try [OnNow.block(shows, context), AlbumCovers.block(albums, context)].compactMap(\.self)
        blocks += parts.map(\.block)
        if picture == nil, !parts.contains(where: \.hasPicture), let works = try FirstPictures.block(context)
        {
            blocks.append(works)
        }
        blocks += try Self.artists(counts.first { $0.kind == .artist }?.count ?? 0, context)
        blocks += try [
            LatelyChanged.block(context, limit: Self.mostChanges), PartnerRecord.block(context),
        ].compactMap(\.self)
        self.blocks = blocks
        self.picture = picture
    }

    /// The album Highlights or, without one, a running show that makes a wall.
    private static func wall(_ shows: [FoundObject], _ context: PageContext) throws -> (PageBlock, String?)? {
        let highlights = try context.store.object(.album, named: "Highlights", for: context.face)
        let candidates =
            [highlights.map { (Kind.album, $0.id, $0.slug ?? $0.id, $0.name) }].compactMap(\.self)
            + shows.map { (Kind.show, $0.summary.id, $0.summary.key, $0.summary.name) }
        for (kind, id, key, name) in candidates {
            let page = try context.store.members(of: Owner(kind, id), for: context.face, limit: mostHung)
            let grid = WorksGrid(items: page.items, owner: Owner(kind, key), context: context)
            let title = name.map { LongText.cut($0, to: 100).text }
            let subject: WallSubject = kind == .show ? .show(name: title) : .album(name: title)
            guard let wall = try grid.wall(subject, total: page.total) else { continue }
            return (.wall("\(title ?? "Works"), to scale", wall), wall.items.lazy.compactMap(\.picture).first)
        }
        return nil
    }

    /// - Parameter count: the number of all artists.
    private static func artists(_ count: Int, _ context: PageContext) throws -> [PageBlock] {
        guard count > 0 else { return [] }
        guard count <= mostArtists else {
            return [
                .names(
                    "Artists", id: "artists", count: count, [],
                    after: ("All \(CountText(count).of(.artist))", context.href(.list(.artist)))),
                try NamesPage.letters(of: .artist, context),
            ]
        }
        let names = try context.store.names(.artist, for: context.face, limit: mostArtists)
        return [
            .names("Artists", id: "artists", count: count, names.items.map { NameRow.name($0, context) })
        ]
    }

    var title: String { museum }
    var description: String? { summary }
    var canonical: String? { base }
    var sharePicture: String? { picture }
    var section: PageSection? { .home }

    var shown: Shown {
        [
            "heading": .string(museum), "headingCount": false,
            "subtitle": .part(["parts": .many([Fact.Part(text: summary).shown])]), "intro": false,
            "blocks": .many(blocks.map(\.shown)),
        ]
    }

    var json: JSONObject {
        get throws {
            let numbers = JSONObject(counts.map { ($0.kind.plural, .number(JSONNumber($0.count))) })
            let members: [(String, JSONValue)] = [
                ("name", .string(museum)), ("href", .string(base)), ("counts", .object(numbers)),
            ]
            let artists = counts.first { $0.kind == .artist }?.count ?? 0
            return JSONObject(try members + HomeJSON(context: context).members(artists: artists))
        }
    }
}

/// The line below the museum's name: `41 artworks by 24 artists, in 2 shows and 3 albums, with all 80 pictures of artworks.`
enum HomeSummary {
    /// - Parameters:
    ///   - pictures: those with a file here, and all that should have one; `nil` if they weren't counted.
    ///   - withPictures: the number of artworks with a picture here, which is said if the pictures weren't counted.
    static func text(
        _ counts: [(kind: Kind, count: Int)], pictures: (here: Int, wanted: Int)?, withPictures: Int?
    ) -> String {
        func part(_ kind: Kind) -> String? {
            guard let count = counts.first(where: { $0.kind == kind })?.count, count > 0 else { return nil }
            return CountText(count).of(kind)
        }
        let works = part(.artwork) ?? "No artworks yet"
        let artists = part(.artist).map { " by \($0)" } ?? ""
        let groups = [part(.show), part(.album)].compactMap(\.self)
        let here =
            pictures == nil
            ? withPictures.map { ", \(CountText($0).digits) with a picture here" } ?? "" : text(of: pictures)
        return works + artists + (groups.isEmpty ? "" : ", in \(groups.listed)") + here + "."
    }

    /// `, with all 80 pictures of artworks` or `, with 70 of 80 pictures of artworks`: shows have pictures, too.
    private static func text(of pictures: (here: Int, wanted: Int)?) -> String {
        guard let (here, wanted) = pictures, wanted > 0 else { return "" }
        let all =
            "\(CountText(wanted).digits) \(wanted == 1 ? "picture of an artwork" : "pictures of artworks")"
        if here < wanted { return ", with \(CountText(here).digits) of \(all)" }
        return wanted == 1 ? ", with \(all)" : ", with all \(all)"
    }
}

/// An artist, show, album or location in a list of names.
enum NameRow {
    static func name(_ item: NameItem, _ context: PageContext) -> PageBlock.Name {
        PageBlock.Name(
            href: href(item, context), text: LongText.cut(listed(item), to: 120).text, number: item.artworks)
    }

    static func href(_ item: NameItem, _ context: PageContext) -> String {
        context.href(.object(item.kind, item.slug ?? item.id))
    }

    /// The name as in an index: artists with the last name first.
    static func listed(_ item: NameItem) -> String {
        let artist = item.kind == .artist ? try? Artist(item.json) : nil
        return artist?.listName ?? item.name ?? item.id
    }
}
