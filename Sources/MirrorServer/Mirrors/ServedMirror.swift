import Catalogue
import MirrorStore
import Synchronization

/// A mirror that is offered: its database, its files, and the bodies of its lists as they were last made.
///
/// Objects are read from the database each time. Lists are kept as long as the database's generation, which every
/// change moves on, is the one that they were made in: what a sync has committed is seen at once.
public final class ServedMirror: Sendable {
    /// What is in the path before `/api/v1`.
    public let name: String
    public let store: CatalogueStore
    public let files: FileStore
    /// How many snapshots may be read at once: each keeps the database's log from being folded in as long as it lasts.
    let snapshots = RequestLoad(limit: 4)
    private let lists = Mutex(Kept())
    /// What the partner is called, as far as it was read.
    private let partner = Mutex<[String]>([])

    /// - Parameters:
    ///   - name: what is in the path before `/api/v1`.
    ///   - store: open already; it stays open when the server stops.
    ///   - files: where the mirror's pictures and documents are.
    public init(name: String, store: CatalogueStore, files: FileStore) {
        self.name = name
        self.store = store
        self.files = files
    }

    // MARK: - Lists

    /// The ids of a list of the partner's own.
    struct IDs: Sendable {
        let body: ListBody
        /// In the same order.
        let ids: [String]
    }

    private struct Kept {
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
        _ form: WritableKeyPath<Kept, [Kind: List]>, of kind: Kind, make: () throws -> List
    ) throws -> List {
        let generation = try store.generation()
        let kept = lists.withLock { $0.generation == generation ? $0[keyPath: form][kind] : nil }
        if let kept { return kept }
        let list = try make()
        // If somebody wrote meanwhile it isn't known of which generation it is.
        guard try store.generation() == generation else { return list }
        lists.withLock { kept in
            if kept.generation != generation { kept = Kept(generation: generation) }
            kept[keyPath: form][kind] = list
        }
        return list
    }

    // MARK: - The partner

    /// Whether this is the mirror of the partner with that id or slug; also by the mirror's own name, as an id may be anything.
    func isOf(partner name: String) throws -> Bool {
        if partner.withLock({ $0.contains { UTF8Order.equal($0, name) } }) { return true }
        guard let id = try store.servedSingle(.partner)?.id else { return false }
        let names = [id, self.name, try store.find(.partner, id)?.summary.slug].compactMap(\.self)
        partner.withLock { $0 = names }
        return names.contains { UTF8Order.equal($0, name) }
    }
}
