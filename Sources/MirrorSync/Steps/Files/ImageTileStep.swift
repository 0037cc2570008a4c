import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// A picture whose tiles are wanted.
struct TiledPicture: Sendable {
    let owner: Owner
    let role: ImageRole
    let image: StoredImage
}

/// Downloads a picture's deep-zoom tiles: one file for each tile of each level.
///
/// The rules are those of ``ImageStep``: tiles are requested again only if their picture's entry changed, and a tile that the
/// server doesn't have is requested again after a day.
struct ImageTileStep: SyncStep {
    typealias Item = ImageStep.Item

    func identity(of item: Item) -> String { ImageStep().identity(of: item) }

    func listIdentity(of input: StoredPicture) -> String {
        // A picture is output once with its tiles, and again, without them, for each other format.
        let role = input.tiled?.role.rawValue ?? input.format
        return "\(input.owner.kind.name)/\(input.owner.id)/\(role)/\(input.image)"
    }

    func expand(_ input: StoredPicture, in context: SyncContext) async throws -> Expansion<Item> {
        guard let picture = input.tiled else { return Expansion([]) }
        let (items, wanted) = try Self.items(of: picture, context.environment)
        context.environment.report.note { state in
            state.tiles.wanted += wanted
            state.tiles.unchanged += wanted - items.count
        }
        return Expansion(items)
    }

    func perform(_ item: Item, in context: SyncContext) async throws -> [Never] {
        _ = try await item.fetch(in: context)
        return []
    }

    func operations(performing item: Item, in context: SyncContext) -> [any RequestOperation] {
        [item.operation(context.environment)]
    }

    /// The tiles that will be fetched or revalidated, and the number of all wanted tiles.
    static func items(of picture: TiledPicture, _ environment: SyncEnvironment) throws -> (
        items: [Item], wanted: Int
    ) {
        guard let pyramid = picture.image.tiles else { return ([], 0) }
        let count = pyramid.count
        guard count <= TilePyramid.maximumTileCount else {
            reportUntiled(
                picture,
                "This picture has \(count) tiles, and at most \(TilePyramid.maximumTileCount) are allowed: no tiles are fetched for it.",
                environment)
            return ([], 0)
        }
        let stored = try environment.store.tileFiles(
            of: picture.owner, role: picture.role, image: picture.image.id)
        let items = pyramid.tiles.compactMap { tile -> Item? in
            let item = Item(
                owner: picture.owner, role: picture.role, image: picture.image, format: tile.format,
                url: pyramid.url(of: tile), known: stored[tile.format])
            return item.suffices(environment) ? nil : item
        }
        return (items, count)
    }

    /// Reports, once a run, that no tiles are fetched for a picture.
    static func reportUntiled(_ picture: TiledPicture, _ message: String, _ environment: SyncEnvironment) {
        guard environment.report.isNotSupported("tiles of \(picture.owner) \(picture.image.id)") else {
            return
        }
        environment.report.note { $0.untiled += 1 }
        environment.report.problem(
            Problem(what: Problem.field, kind: "image", id: picture.image.id, message: message))
    }
}
