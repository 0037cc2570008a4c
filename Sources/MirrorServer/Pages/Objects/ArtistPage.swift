import Catalogue
import MirrorStore

/// The page of an artist: life, text, works, a wall, shows and documents.
struct ArtistPage: WebPage {
    static let template = "object"

    private let object: FoundObject
    private let life: String?
    private let intro: LongText?
    private let grid: WorksGrid
    private let listing: ArtworkListing
    private let blocks: [PageBlock]
    private let notes: ObjectNotes?
    private let ownHref: String
    private let name: String

    /// An artist with more works has a link to the list of all.
    private static let most = 60
    /// Up to this number of works, their pictures are larger.
    private static let few = 12

    init(_ object: FoundObject, _ context: PageContext) throws {
        let summary = object.summary, key = summary.key
        let owner = Owner(.artist, summary.id)
        self.object = object
        ownHref = context.href(summary)
        name = object.text("display_name") ?? object.text("name") ?? summary.id
        life = [object.body.flatMap(ArtistLife.text(of:)), object.text("hometown").map { "From \($0)" }]
            .compactMap(\.self)
            .joined(separator: ". ")
        let json = ownHref + PageAddress.suffix
        intro =
            ["biography", "blurb", "statement"].lazy.compactMap { field in
                object.body.flatMap { LongText(field: field, of: $0, jsonHref: json) }
            }.first
        listing = try context.store.members(of: owner, for: context.face, limit: Self.most)
        let isFew = listing.items.count <= Self.few
        grid = WorksGrid(
            items: listing.items, owner: Owner(.artist, key), detail: .medium, place: isFew ? .few : .grid,
            namesArtists: false, context: context)
        var blocks: [PageBlock] = []
        if !listing.items.isEmpty {
            let all = context.href(
                .list(.artwork), [NameValue("artist", summary.id), NameValue("sort", ArtworkSort.year.name)])
            let count = listing.total.map { " \(CountText($0).digits)" } ?? ""
            let after = listing.next.map { _ in (text: "All\(count) artworks", href: all) }
            blocks.append(
                .grid(
                    "Artworks", count: listing.total, style: isFew ? .few : .hang, grid.captions(),
                    after: after))
            if let wall = try grid.wall(.artist(name: LongText.cut(name, to: 100).text), total: nil) {
                blocks.append(.wall("To scale", wall))
            }
        }
        blocks += PageBlock.pair(
            try RelatedRows.shows(of: owner, context), try DocumentRows.block(of: owner, object, context))
        notes = try ObjectNotes(about: summary, context)
        if let notes { blocks.append(.prose(notes.text)) }
        blocks.append(.facts(try RecordFacts.facts(object, context)))
        self.blocks = blocks
    }

    var title: String { LongText.cut(name, to: 200).text }
    var description: String? {
        let works = listing.total.map { "\(CountText($0).of(.artwork))." }
        return [life.flatMap { $0.isEmpty ? nil : "\($0)." }, works].compactMap(\.self).joined(separator: " ")
    }
    var canonical: String? { ownHref }
    var sharePicture: String? {
        grid.items.lazy.compactMap(\.picture.choice).first.map { grid.context.href($0.file) }
    }
    var section: PageSection? { .below(.artist) }

    var shown: Shown {
        [
            "heading": .string(title), "headingCount": false,
            "subtitle": .part(
                life.flatMap {
                    $0.isEmpty ? nil : ["parts": .many([Fact.Part(text: LongText.cut($0).text).shown])]
                }),
            "intro": .part(intro?.shown), "blocks": .many(blocks.map(\.shown)),
        ]
    }

    var json: JSONObject {
        get throws {
            var json = listed
            let owner = Owner(.artist, object.summary.id), context = grid.context
            json["shows"] = try RelatedJSON.list(.show, of: owner, context)
            json["documents"] = try DocumentRows.json(of: owner, object, context)
            json["notes"] = notes?.json
            return json
        }
    }

    /// The artist and the artworks.
    private var listed: JSONObject {
        var json = JSONObject([
            ("id", .string(object.summary.id)), ("kind", .string(Kind.artist.name)),
            ("href", .string(ownHref)),
            ("object", .object(object.body ?? JSONObject())), ("items", grid.json),
        ])
        json["total"] = .some(listing.total.map { .number(JSONNumber($0)) } ?? .null)
        // The list of all artworks of the artist.
        let query = [NameValue("artist", object.summary.id), NameValue("sort", ArtworkSort.year.name)]
        json["list"] = .string(grid.context.href(.list(.artwork), query))
        return json
    }
}
