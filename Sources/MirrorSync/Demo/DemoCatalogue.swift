/// The catalogue that is built in, so that a first sync needs nothing but the command itself.
///
/// A fictional museum with well-known works that are in the public domain: titles, artists, dates, media, sizes and present
/// collections are true, the museum around them is made up. It is in the same format as every other catalogue (a partner
/// object and JSON Lines per kind, sorted by id) and goes through the same import. Two additions: `documents.jsonl`, whose lines
/// name a show or an artist and carry a text, and `edition_sets` on prints, in the API's own form. The kinds are Swift sources
/// rather than resources, so that the binary alone is enough. In them, `\#` at a line's end joins it to the next: a record is
/// one line of the catalogue.
package enum DemoCatalogue {
    /// The partner's id.
    package static let partnerID = "demo"

    /// The catalogue's files by name: `partner.json`, and a `.jsonl` for artists, artworks, shows, albums, locations and documents.
    package static var files: [String: String] {
        [
            "partner.json": partner + "\n",
            "artists.jsonl": artists + "\n",
            "artworks.jsonl": [artworksFirst, artworksSecond, artworksThird].joined(separator: "\n") + "\n",
            "shows.jsonl": shows + "\n",
            "albums.jsonl": albums + "\n",
            "locations.jsonl": locations + "\n",
            "documents.jsonl": documents + "\n",
        ]
    }
}
