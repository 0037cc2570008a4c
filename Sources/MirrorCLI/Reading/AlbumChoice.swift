import Catalogue
import MirrorStore

/// Finds the album or artwork that a person means.
struct AlbumChoice {
    let store: CatalogueStore
    /// The mirror's name, for messages.
    let mirror: String

    /// - Parameter key: an id, a slug, or a name that no other album has.
    /// - Throws: ``CommandError`` with code `notFound`, or `severalAlbums` with the ids of all that are called so.
    func album(_ key: String) throws -> AlbumSummary {
        let found = try store.albums(called: key)
        guard let first = found.first else {
            throw CommandError(
                .notFound, "\(mirror) has no album \(key.printable.truncated(to: 60)). See mirror album list."
            )
        }
        guard found.count == 1 else {
            let ids = Wording.list(found.map(\.id.printable))
            throw CommandError(
                .severalAlbums,
                "\(Wording.count(found.count)) albums are called \(key.printable.truncated(to: 60)): \(ids). Say which one by its id."
            )
        }
        return first
    }

    /// The id of an artwork by its id or slug.
    ///
    /// - Parameter album: the artwork may also be one that isn't stored, if this album has it.
    /// - Throws: ``CommandError`` with code `notFound`.
    func artwork(_ key: String, orMemberOf album: String? = nil) throws -> String {
        let found = try store.find(.artwork, key)?.summary
        if let found, !found.ghost { return found.id }
        if let found, let album, try store.find(.album, album)?.artworks.contains(found.id) == true {
            return found.id
        }
        throw CommandError(
            .notFound,
            "\(mirror) has no artwork \(key.printable.truncated(to: 60)). See mirror list artwork, or mirror search."
        )
    }
}
