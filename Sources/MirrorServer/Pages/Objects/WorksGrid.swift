import Catalogue
import MirrorStore

/// The artworks of an object or list as a grid, and as a wall to scale.
struct WorksGrid {
    /// The artworks. A picture whose file was lost is missing.
    let items: [ArtworkItem]
    /// The object in whose context the artworks' pages are; `nil` for their own pages.
    let owner: Owner?
    let detail: Caption.Detail
    let place: PictureBox.Place
    let namesArtists: Bool
    /// The query of the list or search from which the artworks' pages are reached: they then have previous and next works.
    let within: String?
    let words: SearchWords?
    let context: PageContext

    init(
        items: [ArtworkItem], owner: Owner? = nil, detail: Caption.Detail = .none,
        place: PictureBox.Place = .grid, namesArtists: Bool = true, within: String? = nil,
        words: SearchWords? = nil, context: PageContext
    ) {
        self.items = items.map { item in
            var item = item
            item.picture = context.present(item.picture)
            return item
        }
        (self.owner, self.detail, self.place, self.namesArtists) = (owner, detail, place, namesArtists)
        (self.within, self.words, self.context) = (within, words, context)
    }

    /// The first row's pictures are requested at once: in the widest window a row has five.
    private static let eager = 5

    func captions() -> [Shown] {
        items.enumerated().map { index, item in
            Caption(
                item: item, href: href(item), place: place, detail: detail, namesArtists: namesArtists,
                words: words, isLazy: index >= Self.eager
            ).shown(base: context.frame.base)
        }
    }

    func href(_ item: ArtworkItem) -> String {
        let key = item.slug ?? item.id
        let query = within.map { [NameValue("in", $0)] } ?? []
        return context.href(owner.map { .member(key, of: $0) } ?? .object(.artwork, key), query)
    }

    /// The works that can be hung; `nil` if there are too few.
    ///
    /// - Parameter most: the greatest number of works on the wall. Default: ``Wall/maximumWorks``.
    func wall(_ subject: WallSubject, total: Int?, most: Int = Wall.maximumWorks) throws -> Wall? {
        let items = items.prefix(Self.mostHung)
        let sizes = try context.store.sizes(ofArtworks: items.map(\.id))
        let works = items.map { item in
            let size = sizes[ExactText(item.id)]
            return Wall.Work(
                label: label(item), href: href(item),
                picture: item.picture.choice.map { context.href($0.file) }, width: size?.width,
                height: size?.height,
                pictureRatio: item.picture.ratio)
        }
        return Wall(works, of: subject, total: total, most: most)
    }

    /// Works beyond these aren't tried, so that a wall is read in bounded time.
    private static let mostHung = 100

    private func label(_ item: ArtworkItem) -> String {
        let names = item.artists.prefix(3).map { LongText.cut($0, to: 80).text }
        return [
            names.isEmpty ? nil : Array(names).listed, LongText.cut(item.title ?? "Untitled", to: 120).text,
            item.date.map { LongText.cut($0, to: 60).text },
        ]
        .compactMap(\.self).joined(separator: ", ")
    }

    var json: JSONValue {
        .array(
            items.map { item in
                var json = JSONObject([
                    ("id", .string(item.id)), ("href", .string(href(item))),
                    ("artists", .array(item.artists.map { .string($0) })),
                ])
                json["title"] = item.title.map(JSONValue.string)
                json["date"] = item.date.map(JSONValue.string)
                json["picture"] = item.picture.choice.map { .string(context.href($0.file)) }
                return .object(json)
            })
    }
}
