import Catalogue
import MirrorStore

/// What the first page of a mirror shows, as JSON: shows that are running, albums, artists or their letters, and the latest
/// changes.
struct HomeJSON {
    let context: PageContext

    /// - Parameter count: the number of all artists.
    func members(artists count: Int) throws -> [(String, JSONValue)] {
        let store = context.store, face = context.face
        let shows = try store.runningShows(at: context.now, limit: HomePage.mostShows)
            .compactMap { try context.find(.show, $0)?.summary }
        let albums = try store.names(.album, for: face, limit: HomePage.mostAlbums).items
        let artists = try artists(count)
        let changes = try store.latestChanges(for: face, limit: HomePage.mostChanges)
        return [
            ("on_now", .array(shows.map { entry($0.id, $0.name, context.href($0)) })),
            ("albums", .array(albums.map { entry($0) })), artists,
            ("changes", .array(changes.map { entry($0) })),
        ]
    }

    /// The artists or, where the page has only letters, their links.
    private func artists(_ count: Int) throws -> (String, JSONValue) {
        guard count > HomePage.mostArtists else {
            let names = try context.store.names(.artist, for: context.face, limit: HomePage.mostArtists)
            return ("artists", .array(names.items.map { entry($0) }))
        }
        let path = context.href(.list(.artist))
        let letters = try context.store.letters(.artist, for: context.face).map { letter in
            JSONValue.object(
                JSONObject([
                    ("letter", .string(letter.letter)),
                    (
                        "href",
                        .string("\(path)?" + PageQuery.encode([NameValue("after", letter.before.text)]))
                    ),
                ]))
        }
        return ("artist_letters", .array(letters))
    }

    private func entry(_ item: NameItem) -> JSONValue {
        entry(item.id, item.name, NameRow.href(item, context))
    }

    private func entry(_ id: String, _ name: String?, _ href: String) -> JSONValue {
        .object(
            JSONObject([
                ("id", .string(id)), ("href", .string(href)),
                ("name", name.map(JSONValue.string) ?? .null),
            ]))
    }

    private func entry(_ change: CatalogueStore.LatestChange) -> JSONValue {
        let isGone = change.action == .delete
        let address: PageAddress =
            isGone
            ? .objectHistory(change.kind, change.id) : .object(change.kind, change.slug ?? change.id)
        let action = isGone ? "deleted" : change.action == .create ? "created" : "updated"
        return .object(
            JSONObject([
                ("action", .string(action)), ("kind", .string(change.kind.name)), ("id", .string(change.id)),
                ("href", .string(context.href(address))), ("at", .string(change.at)),
                ("name", change.title.map(JSONValue.string) ?? .null),
            ]))
    }
}
