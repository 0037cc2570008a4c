import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// What the screen shows: works with their artists, pictures and borrowers, read from the mirror's objects.
struct Showcase: Sendable {
    /// One work on the screen.
    struct Card: Hashable, Sendable {
        let id: String
        let title: String
        let artists: [String]
        /// Where the picture is; `nil` for a work without.
        let picture: String?
        let size: PixelSize?
        let borrower: String?
    }

    /// The album of the works that visitors liked.
    static let favourites = "Favourites"

    private let kiosk: Kiosk
    private let store: CatalogueStore
    /// Begins before anything is shown, so that nothing is missed.
    private let commits: ChangeSequence

    /// Opens the mirror. Close it at the end.
    ///
    /// - Parameter sleep: how to wait from one look at the store to the next.
    init(
        _ kiosk: Kiosk,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws {
        self.kiosk = kiosk
        store = try kiosk.mirror.store(editing: true)
        commits = try store.changes(sleep: sleep)
    }

    func close() throws { try store.close() }

    /// The works of a show or album, in its order.
    func cards(of owner: Owner) throws -> [Card] {
        let borrowers = try kiosk.loans.content?.borrowers ?? [:]
        return try store.artworks(of: owner).map { artwork in
            let owner = Owner(.artwork, artwork.id)
            let file = try store.pictures(of: owner).first?.largest
            return Card(
                id: artwork.id, title: artwork.title ?? artwork.id,
                artists: try store.fetchAll(Artist.self, of: owner).compactMap(\.name),
                picture: file.map(kiosk.mirror.files.absolutePath), size: try file.flatMap(kiosk.sizes.size),
                borrower: borrowers[artwork.id])
        }
    }

    /// Reports which works have changed, until the task is cancelled or the showcase closed; `nil` if it may be any.
    func follow(_ changed: ([String]?) -> Void) async throws {
        for try await commit in commits {
            let artworks = commit.changes.filter { $0.kind == .artwork }.map(\.id)
            if commit.isGap { changed(nil) } else if !artworks.isEmpty { changed(artworks) }
        }
    }

    /// A visitor likes a work: it goes into the album of favourites, which the next sync sends to the museum.
    ///
    /// - Returns: whether there is such a work.
    func like(_ artwork: String) throws -> Bool {
        guard try store.fetch(Artwork.self, id: artwork) != nil else { return false }
        let editor = try AlbumEditor(store)
        let album = try favourites?.id ?? editor.create(AlbumChange(name: Self.favourites))
        return try editor.set(artwork, in: album, present: true)
    }

    /// The album of favourites; `nil` before anybody liked a work.
    var favourites: Album? {
        get throws { try store.fetchAll(Album.self).first { $0.name == Self.favourites } }
    }

    /// Whether the museum has all likes.
    var isPushed: Bool { get throws { try store.pendingEdits() == (waiting: 0, refused: 0) } }
}
