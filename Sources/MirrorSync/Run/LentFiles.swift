import MirrorHTTP
import MirrorStore

/// A mirror's database and cache that are open already, and stay open behind a run: for whoever makes many runs in one
/// process, which spares what it takes to open them and to prepare their statements.
package struct LentFiles: Sendable {
    package let store: CatalogueStore
    package let cache: CanonicalURLCache

    package init(store: CatalogueStore, cache: CanonicalURLCache) {
        self.store = store
        self.cache = cache
    }
}
