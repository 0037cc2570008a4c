import Catalogue
import MirrorStore
import Synchronization

/// A served mirror: its database, its files, and the cached bodies of its lists.
///
/// Objects are read from the database for each request. Lists are cached for one generation of the database, which changes
/// with each write. So committed changes are served at once.
public final class ServedMirror: Sendable {
    /// The path's segment before `/api/v1`.
    public let name: String
    /// The mirror's database.
    public let store: CatalogueStore
    /// The mirror's pictures and documents.
    public let files: FileStore
    /// Limits the number of concurrent snapshots, because each prevents checkpoints of the database's write-ahead log.
    let snapshots = RequestLoad(limit: 4)
    private let lists = Mutex(CachedLists())
    /// The partner's id, slug and mirror name; empty until first read.
    private let partner = Mutex<[String]>([])

    /// Creates a mirror to be served.
    ///
    /// - Parameters:
    ///   - name: the path's segment before `/api/v1`.
    ///   - store: an open database. It stays open when the server stops.
    ///   - files: the mirror's pictures and documents.
    public init(name: String, store: CatalogueStore, files: FileStore) {
        self.name = name
        self.store = store
        self.files = files
    }

    // MARK: - Lists

    /// One of the partner's own lists, as ids.
    struct IDs: Sendable {
        let body: ListBody
        /// The ids, in the order of `body`.
        let ids: [String]
    }

    private struct CachedLists {
        var generation: Int?
        var ids: [Kind: IDs] = [:]
        var validators: [Kind: ListBody] = [:]
    }

    func ids(of kind: Kind) throws -> IDs {
        try list(\.ids, of: kind) {
            var ids: [String] = []
            try store.served { try $0.eachListedID(kind) { ids.append($0) } }
            return IDs(body: .ids(ids), ids: ids)
        }
    }

    func validators(of kind: Kind) throws -> ListBody {
        try list(\.validators, of: kind) { try store.served { try $0.validators(of: kind) } }
    }

    private func list<List: Sendable>(
        _ form: WritableKeyPath<CachedLists, [Kind: List]>, of kind: Kind, make: () throws -> List
    ) throws -> List {
        let generation = try store.generation()
        let cached = lists.withLock { $0.generation == generation ? $0[keyPath: form][kind] : nil }
        if let cached { return cached }
        let list = try make()
        // After a concurrent write, the list's generation is unknown, so it isn't cached.
        guard try store.generation() == generation else { return list }
        lists.withLock { cache in
            if cache.generation != generation { cache = CachedLists(generation: generation) }
            cache[keyPath: form][kind] = list
        }
        return list
    }

    // MARK: - The partner

    /// Whether this is the mirror of a partner, identified by id or slug, or by the mirror's own name.
    func isOf(partner name: String) throws -> Bool {
        if partner.withLock({ $0.contains { UTF8Order.equal($0, name) } }) { return true }
        guard let id = try store.servedSingle(.partner)?.id else { return false }
        let names = [id, self.name, try store.find(.partner, id)?.summary.slug].compactMap(\.self)
        partner.withLock { $0 = names }
        return names.contains { UTF8Order.equal($0, name) }
    }
}
