import Catalogue
import GRDB

extension CatalogueStore {
    /// Marks artworks for refetching if they name an object of one of these kinds that is not stored.
    ///
    /// Objects that are gathered from artworks have no URL of their own to request. They are gathered again when an artwork that
    /// names them is read.
    package func refetchArtworks(naming kinds: Set<Kind>) throws {
        try write { db in
            for kind in kinds.sorted(by: { $0.name < $1.name }) {
                guard let table = kind.gatheredTable else { continue }
                try db.run(
                    """
                    UPDATE artwork SET refetch = 1 WHERE ghost = 0 AND refetch = 0 AND id IN (
                      SELECT t.artwork_id FROM \(table) t LEFT JOIN "\(kind.table)" o ON o.id = t.\(kind.idColumn)
                      WHERE o.id IS NULL OR o.ghost = 1)
                    """)
            }
        }
    }
}
