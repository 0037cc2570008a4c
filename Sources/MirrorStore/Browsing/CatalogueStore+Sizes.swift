import Catalogue

extension CatalogueStore {
    /// The size of an artwork in centimetres; `nil` if it is unknown, or the artwork isn't stored.
    package func size(ofArtwork id: String) throws -> PhysicalSize? {
        try fetch(Artwork.self, id: id).flatMap(PhysicalSize.init(of:))
    }
}
