import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Fetches the objects of a kind, and puts out what the nodes under it take in.
package struct ObjectStep<Output: Sendable>: Step {
    package typealias Input = PartnerScope
    package typealias Item = ListedItem
    package typealias Operation = FetchOperation

    let kind: Kind
    /// What an object that was fetched puts out; what one puts out that is stored as it is.
    let outputs: @Sendable (any Payload, ListedItem) throws -> [Output]
    let unchanged: @Sendable (ListedItem) throws -> [Output]
}

extension ObjectStep where Output == ObjectScope {
    /// For kinds that have lists of their own.
    package init(_ kind: Kind) {
        self.init(
            kind: kind, outputs: { [$1.objectScope(kind)] }, unchanged: { [$0.objectScope(kind)] })
    }
}

extension ObjectStep where Output == PictureSource {
    /// For kinds whose own JSON names their pictures.
    package init(pictured kind: Kind) {
        self.init(kind: kind) { object, item in
            let environment = item.scope.environment, images = object.parts.images
            guard environment.options.media, !images.isEmpty else { return [] }
            return [
                PictureSource(
                    environment: environment, owner: Owner(kind, object.id), role: .picture,
                    pictures: images.map(StoredImage.init))
            ]
        } unchanged: { item in
            try PictureSource.stored(item.scope.environment, Owner(kind, item.id), .picture)
        }
    }
}
