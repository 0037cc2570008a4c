import Catalogue
import MirrorStore
import OperationTree

/// Artworks, with their artists, edition sets and pictures inline; puts out the pictures whose bytes are wanted.
package struct ArtworkStep: ListedObjectStep {
    package typealias Input = PartnerScope
    package typealias Item = ListedItem
    package typealias Output = PictureSource
    package typealias Operation = FetchOperation
    package typealias Body = Artwork

    package let kind = ObjectKind.artwork
    package init() {}

    package func route(_ router: Router, id: String) -> Route { router.artwork(id) }

    package func record(_ body: Artwork, etag: String?, scope: PartnerScope) -> ObjectRecord {
        .artwork(body, etag: etag)
    }

    package func outputs(_ body: Artwork, item: ListedItem) -> [PictureSource] {
        guard item.scope.environment.options.media, !body.images.isEmpty else { return [] }
        return [
            PictureSource(
                environment: item.scope.environment, owner: Owner(.artwork, body.id), role: .picture,
                pictures: body.images.map(StoredImage.init))
        ]
    }

    package func outputs(unchanged item: ListedItem) throws -> [PictureSource] {
        try PictureSource.stored(item.scope.environment, Owner(.artwork, item.id), .picture)
    }
}

/// Artists; puts out each for its documents.
package struct ArtistStep: ListedObjectStep {
    package typealias Input = PartnerScope
    package typealias Item = ListedItem
    package typealias Output = ObjectScope
    package typealias Operation = FetchOperation
    package typealias Body = Artist

    package let kind = ObjectKind.artist
    package init() {}

    package func route(_ router: Router, id: String) -> Route { router.artist(id) }
    package func record(_ body: Artist, etag: String?, scope: PartnerScope) -> ObjectRecord {
        ObjectRecord(.artist, body, etag: etag)
    }
    package func outputs(_ body: Artist, item: ListedItem) -> [ObjectScope] { outputs(unchanged: item) }
    package func outputs(unchanged item: ListedItem) -> [ObjectScope] {
        [item.objectScope(.artist)]
    }
}

/// Shows; puts out each for its artworks, documents and pictures.
package struct ShowStep: ListedObjectStep {
    package typealias Input = PartnerScope
    package typealias Item = ListedItem
    package typealias Output = ObjectScope
    package typealias Operation = FetchOperation
    package typealias Body = Show

    package let kind = ObjectKind.show
    package init() {}

    package func route(_ router: Router, id: String) -> Route { router.show(id) }
    package func record(_ body: Show, etag: String?, scope: PartnerScope) -> ObjectRecord {
        .show(body, etag: etag)
    }
    package func outputs(_ body: Show, item: ListedItem) -> [ObjectScope] { outputs(unchanged: item) }
    package func outputs(unchanged item: ListedItem) -> [ObjectScope] {
        [item.objectScope(.show)]
    }
}

/// Albums; puts out each for its artworks.
package struct AlbumStep: ListedObjectStep {
    package typealias Input = PartnerScope
    package typealias Item = ListedItem
    package typealias Output = ObjectScope
    package typealias Operation = FetchOperation
    package typealias Body = Album

    package let kind = ObjectKind.album
    package init() {}

    package func route(_ router: Router, id: String) -> Route { router.album(id) }
    package func record(_ body: Album, etag: String?, scope: PartnerScope) -> ObjectRecord {
        ObjectRecord(.album, body, etag: etag)
    }
    package func outputs(_ body: Album, item: ListedItem) -> [ObjectScope] { outputs(unchanged: item) }
    package func outputs(unchanged item: ListedItem) -> [ObjectScope] {
        [item.objectScope(.album)]
    }
}

/// Locations; puts out each for its artworks.
package struct LocationStep: ListedObjectStep {
    package typealias Input = PartnerScope
    package typealias Item = ListedItem
    package typealias Output = ObjectScope
    package typealias Operation = FetchOperation
    package typealias Body = Location

    package let kind = ObjectKind.location
    package init() {}

    package func route(_ router: Router, id: String) -> Route { router.location(id) }
    package func record(_ body: Location, etag: String?, scope: PartnerScope) -> ObjectRecord {
        ObjectRecord(.location, body, etag: etag)
    }
    package func outputs(_ body: Location, item: ListedItem) -> [ObjectScope] { outputs(unchanged: item) }
    package func outputs(unchanged item: ListedItem) -> [ObjectScope] {
        [item.objectScope(.location)]
    }
}
