import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// Reads from the mirror what the screen shows: works with their artists, pictures and borrowers.
struct Showcase: Sendable {
    /// One work on the screen.
    struct Card: Hashable, Sendable {
        let id: String
        let title: String
        let artists: [String]
        /// The absolute path of the largest picture; `nil` if the work has none.
        let picture: String?
        /// The picture's size; `nil` if there is no picture or its size is not stored yet.
        let size: JPEGSize?
        /// The borrower's name; `nil` if the work is not on loan.
        let borrower: String?
    }

    /// The name of the album with the works that visitors liked.
    static let favourites = "Favourites"

    private let kiosk: Kiosk
    private let store: CatalogueStore
    /// The commits since the showcase was created. It is created before the first read, so that no later change is missed.
    private let commits: ChangeSequence

    /// Opens the mirror's store for reading and for editing albums. Call ``close()`` at the end.
    ///
    /// - Parameter sleep: waits between two checks for new commits. A test passes its own.
    init(
        _ kiosk: Kiosk,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws {
        self.kiosk = kiosk
        store = try kiosk.mirror.store(editing: true)
        commits = try store.changes(sleep: sleep)
    }

    func close() throws { try store.close() }

    /// The works of a show or an album, in its order.
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

    /// Reports changes of works, until the task is cancelled or the showcase is closed.
    ///
    /// - Parameter changed: called with the ids of the changed works. It is called with `nil` if the change log doesn't contain
    ///   all changes, for example after a snapshot was loaded; then read everything again.
    func follow(_ changed: ([String]?) -> Void) async throws {
        for try await commit in commits {
            let artworks = commit.changes.filter { $0.kind == .artwork }.map(\.id)
            if commit.isGap { changed(nil) } else if !artworks.isEmpty { changed(artworks) }
        }
    }

    /// Adds a work that a visitor likes to the album of favourites. The next sync sends the change to the museum's server.
    ///
    /// - Returns: `false` if the mirror has no such work.
    func like(_ artwork: String) throws -> Bool {
        guard try store.fetch(Artwork.self, id: artwork) != nil else { return false }
        let editor = try AlbumEditor(store)
        let album = try favourites?.id ?? editor.create(AlbumChange(name: Self.favourites))
        return try editor.set(artwork, in: album, present: true)
    }

    /// The album of favourites; `nil` until a visitor likes a work.
    var favourites: Album? {
        get throws { try store.fetchAll(Album.self).first { $0.name == Self.favourites } }
    }

    /// Whether the museum's server has received all likes.
    var hasSentAllLikes: Bool { get throws { try store.pendingEdits() == (waiting: 0, refused: 0) } }
}
