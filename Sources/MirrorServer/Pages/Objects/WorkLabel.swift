import Catalogue
import MirrorStore

/// The label beside an artwork: artists, title, date, medium, size, series, place and a drawing to scale.
struct WorkLabel {
    struct Artist {
        let id: String
        let name: String
        /// Nationality and years, as on a label: `Japanese, 1760–1849`.
        let life: String?
        let href: String
    }

    /// At most this number of artists is named.
    static let maximumArtists = 10

    /// The title; `nil` for an untitled work.
    let title: String?
    let artists: [Artist]
    /// The number of artists, of which ``artists`` are the first.
    let artistCount: Int
    /// Date, medium and dimensions.
    let lines: [String]
    let series: String?
    let place: (name: String, href: String)?
    /// The price, and the one that isn't published: only the staff sees them.
    let prices: [String]
    let size: PhysicalSize?
    private let jsonHref: String
    /// Whether the title or another line is cut.
    private let isCut: Bool

    init(_ object: FoundObject, _ context: PageContext) throws {
        let body = object.body ?? JSONObject()
        title = object.text("title").map { LongText.cut($0).text }
        let ids = body.ids("artists", single: "artist")
        artistCount = ids.count
        artists = try ids.prefix(Self.maximumArtists).map { try Self.artist($0, context) }
        let artwork = try? Artwork(body)
        let dimensions = artwork?.dimensionsCm ?? artwork?.dimensionsIn
        lines = [object.text("date"), object.text("medium"), dimensions].compactMap(\.self).map {
            LongText.cut($0).text
        }
        series = object.text("series").map { LongText.cut($0, to: 500).text }
        let long = [object.text("title"), object.text("date"), object.text("medium"), dimensions]
        let isSeriesCut = object.text("series").map { LongText.cut($0, to: 500).isCut } ?? false
        isCut = isSeriesCut || long.contains { text in text.map { LongText.cut($0).isCut } ?? false }
        prices = [
            object.text("price"), object.text("internal_display_price").map { "Internal price: \($0)" },
        ].compactMap(\.self).map { LongText.cut($0, to: 200).text }
        size = artwork.flatMap(PhysicalSize.init(of:))
        place = try context.store.place(ofArtwork: object.summary.id).map {
            (LongText.cut($0.name ?? $0.id, to: 200).text, context.href($0))
        }
        jsonHref = context.href(object.summary) + PageAddress.suffix
    }

    private static func artist(_ id: String, _ context: PageContext) throws -> Artist {
        guard let found = try context.find(.artist, id), found.body != nil else {
            return Artist(
                id: id, name: LongText.cut(id, to: 200).text, life: nil,
                href: context.href(.object(.artist, id)))
        }
        return Artist(
            id: id,
            name: LongText.cut(found.text("display_name") ?? found.text("name") ?? id, to: 200).text,
            life: found.body.flatMap(ArtistLife.text(of:)),
            href: context.href(found.summary))
    }

    /// The artists' names in one line; `nil` if no artist is named.
    var names: String? {
        guard !artists.isEmpty else { return nil }
        let more = artistCount - artists.count
        return (artists.map(\.name) + (more > 0 ? ["\(CountText(more).digits) more"] : [])).listed
    }

    /// What the template shows.
    ///
    /// - Parameter pictureRatio: the picture's width divided by its height; `nil` if it is unknown.
    func shown(pictureRatio: Double?) -> Shown {
        let more = artistCount - artists.count
        return [
            "artists": .many(
                artists.map { artist in
                    [
                        "href": .string(artist.href), "name": .string(artist.name),
                        "life": .text(artist.life),
                    ]
                }),
            "moreArtists": .part(
                more > 0
                    ? ["href": .string(jsonHref), "text": .string("and \(CountText(more).digits) more")] : nil
            ),
            "title": .text(title),
            "lines": .texts(lines),
            "series": .text(series),
            "place": .part(place.map { ["name": .string($0.name), "href": .string($0.href)] }),
            "whole": .part(isCut ? ["href": .string(jsonHref)] : nil),
            "prices": .texts(prices),
            "scale": .part(
                size.flatMap {
                    ScaleDrawing(width: $0.width, height: $0.height, pictureRatio: pictureRatio)?.shown
                }),
        ]
    }
}

/// Nationality and years of an artist.
enum ArtistLife {
    static func text(of artist: JSONObject) -> String? {
        func text(_ field: String) -> String? {
            let text = artist[field]?.stringValue ?? artist[field]?.numberValue?.lexeme
            return text.flatMap { $0.isEmpty ? nil : LongText.cut($0, to: 100).text }
        }
        let birth = text("birthday"), death = text("deathday")
        let years =
            switch (birth, death) {
            case (let birth?, let death?): "\(birth)–\(death)"
            case (let birth?, nil): "born \(birth)"
            case (nil, let death?): "died \(death)"
            case (nil, nil): String?.none
            }
        let parts = [text("nationality"), text("years") ?? years].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
