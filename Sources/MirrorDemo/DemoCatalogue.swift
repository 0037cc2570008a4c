// MirrorDemo: the built-in demo.
//
// `DemoCatalogue` holds a small catalogue as JSON Lines, in the format that `mirror import` reads. `Picture` draws a JPEG for
// an image that has no file, from the image's id alone. Both are compiled into the binary; this target imports nothing.

/// The built-in catalogue, so that a first sync needs nothing but the command itself.
///
/// A fictional museum with well-known works in the public domain: titles, artists, dates, media, sizes and present
/// collections are true; the museum around them is made up. The files in `Catalogue` have the same format as every other
/// catalogue and go through the same import. `documents.jsonl` has the documents of shows and artists with their text, and
/// prints have `edition_sets` in the API's form. The user in `user.json` is no admin, so a sync of the demo tells its server
/// when the mirror was last used.
package enum DemoCatalogue {
    /// The partner's id.
    package static let partnerID = "demo"

    /// The catalogue's files by name.
    package static var files: [String: String] {
        [
            "partner.json": PackageResources.partner_json,
            "user.json": PackageResources.user_json,
            "artists.jsonl": PackageResources.artists_jsonl,
            "artworks.jsonl": PackageResources.artworks_jsonl,
            "shows.jsonl": PackageResources.shows_jsonl,
            "albums.jsonl": PackageResources.albums_jsonl,
            "locations.jsonl": PackageResources.locations_jsonl,
            "documents.jsonl": PackageResources.documents_jsonl,
        ].mapValues { String(decoding: $0, as: UTF8.self) }
    }
}
