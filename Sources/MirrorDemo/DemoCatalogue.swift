// MirrorDemo: the built-in demo.
//
// `DemoCatalogue` holds a small catalogue as JSON Lines, in the format that `mirror import` reads. `Picture` draws a JPEG for
// an image that has no file, from the image's id alone. Both are compiled into the binary; this target imports nothing.

/// The built-in catalogue, so that a first sync needs no other files and no network.
///
/// It describes a fictional museum with well-known works in the public domain. Titles, artists, dates, media, sizes and
/// present collections are true; the museum itself is invented.
///
/// - The files in `Catalogue` have the format of any other catalogue and are imported in the same way.
/// - `documents.jsonl` contains the documents of shows and artists with their text.
/// - Prints have `edition_sets` in the API's form.
/// - The user in `user.json` is not an admin, so a sync of the demo reports to the server when the mirror was last used.
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
