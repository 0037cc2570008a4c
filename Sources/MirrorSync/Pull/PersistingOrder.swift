import Catalogue
import MirrorStore

/// In which order what was pulled is stored: whatever refers to something comes after it.
///
/// The order of the pull loops of synchronising apps (Toggl's): with it, an object that exists is never seen as a ghost.
package enum PersistingOrder {
    /// One kind of thing, with the columns by which it refers to others.
    package struct Stage: Sendable, Hashable {
        package let name: String
        package let kind: Kind?
        /// The tables whose rows it makes.
        package let tables: [String]
        /// `table.column` of every foreign key that it fills.
        package let references: [String]
    }

    package static let stages: [Stage] = [
        Stage(name: "partner", kind: .partner, tables: ["partner"], references: []),
        Stage(name: "user", kind: .user, tables: ["user"], references: []),
        Stage(name: "metadata", kind: nil, tables: ["partner_flag"], references: []),
        Stage(name: "locations", kind: .location, tables: ["location"], references: []),
        Stage(name: "artists", kind: .artist, tables: ["artist"], references: []),
        Stage(
            name: "artworks", kind: .artwork, tables: ["artwork", "edition_set", "artwork_artist", "image"],
            references: [
                "edition_set.artwork_id", "artwork_artist.artwork_id", "artwork_artist.artist_id",
                "image.artwork_id",
            ]),
        Stage(name: "albums", kind: .album, tables: ["album"], references: []),
        Stage(
            name: "shows", kind: .show, tables: ["show", "show_artist"],
            references: ["show.location_id", "show_artist.show_id", "show_artist.artist_id"]),
        Stage(
            name: "memberships", kind: nil, tables: ["show_artwork", "album_artwork", "location_artwork"],
            references: [
                "show_artwork.show_id", "show_artwork.artwork_id", "album_artwork.album_id",
                "album_artwork.artwork_id", "location_artwork.location_id", "location_artwork.artwork_id",
            ]),
        Stage(
            name: "documents and files", kind: nil, tables: ["document", "file", "image_file"],
            references: [
                "image.show_id", "document.show_id", "document.artist_id", "document.file",
                "image_file.image",
                "image_file.hash",
            ]),
    ]

    /// The kinds of which a partner keeps lists, in this order.
    package static let kinds: [Kind] = stages.compactMap(\.kind).filter(Kinds.standard.listed.contains)
}
