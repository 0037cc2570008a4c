import Catalogue
import MirrorStore

/// Other works by the artist of an artwork.
struct MoreWorks {
    private static let most = 8

    private let artist: String
    private let grid: WorksGrid
    private let count: Int?
    private let all: String?

    /// `nil` if there are none.
    init?(by artist: WorkLabel.Artist?, besides id: String, _ context: PageContext) throws {
        guard let artist else { return nil }
        let listing = try context.store.members(
            of: Owner(.artist, artist.id), for: context.face, limit: Self.most + 1)
        let others = listing.items.filter { !UTF8Order.equal($0.id, id) }.prefix(Self.most)
        guard !others.isEmpty else { return nil }
        self.artist = LongText.cut(artist.name, to: 100).text
        count = listing.total.map { $0 - 1 }
        grid = WorksGrid(items: Array(others), namesArtists: false, context: context)
        all = listing.next == nil ? nil : artist.href
    }

    var shown: Shown {
        [
            "artist": .string(artist), "count": .text(count.map { CountText($0).digits }),
            "items": .many(grid.captions()),
            "all": .part(all.map { ["href": .string($0), "text": .string("All works by \(artist)")] }),
        ]
    }
}
