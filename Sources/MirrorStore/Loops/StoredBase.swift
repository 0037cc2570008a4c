import Catalogue
import GRDB

/// What is stored of an object of which an event tells.
package struct StoredBase: Sendable, Hashable {
    /// As the server said it; `nil` for a ghost.
    package let json: String?
    package let etag: String?
    /// Whether the row is what the server said under that ETag, and nothing else: no ghost, not restored, not marked for
    /// refetching, not only referred to, and no local edit in it.
    package let isPlain: Bool

    package init(json: String?, etag: String?, isPlain: Bool) {
        self.json = json
        self.etag = etag
        self.isPlain = isPlain
    }
}

extension CatalogueStore {
    /// What is stored of some objects of a kind, each beside its id; what is not stored is left out.
    package func bases(_ kind: Kind, _ ids: [String]) throws -> [ExactText: StoredBase] {
        try read { db in
            var found: [ExactText: StoredBase] = [:]
            for id in ids {
                guard let row = try StoredRow.find(kind, id, in: db) else { continue }
                let isPlain = !row.ghost && !row.refetch && !row.kept && !row.linked && !row.hasLocalEdit
                found[ExactText(id)] = StoredBase(
                    json: row.ghost ? nil : row.json, etag: row.etag, isPlain: isPlain)
            }
            return found
        }
    }
}
