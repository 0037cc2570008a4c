import Catalogue
import MirrorStore
import Synchronization

/// A mirror that is offered: its database, its files, and the bodies of its lists as they were last made.
///
/// Objects are read from the database each time. Lists are kept as long as the database's generation, which every
/// change moves on, is the one that they were made in: what a sync has committed is seen at once.
final class ServedMirror: Sendable {
    /// By which it is offered: that of its folder.
    let name: String
    let store: CatalogueStore
    let files: FileStore
    let snapshots = SnapshotPlaces()
    private let lists = Mutex(Kept())
    private let partner = Mutex<Partner?>(nil)

    init(name: String, store: CatalogueStore, files: FileStore) {
        self.name = name
        self.store = store
        self.files = files
    }

    // MARK: - Lists

    /// A list of the partner's own.
    struct OwnList: Sendable {
        let body: ListBody
        /// In the same order; empty in lists with validators.
        let ids: [String]
    }

    private enum ListForm: Hashable {
        case ids(Kind), validators(Kind)

        func list(from store: CatalogueStore) throws -> OwnList {
            switch self {
            case .ids(let kind):
                var ids: [String] = []
                try store.served { try $0.eachListed(kind) { id, _ in ids.append(id) } }
                return OwnList(body: .ids(ids), ids: ids)
            case .validators(let kind):
                return OwnList(body: try ValidatorsList(store: store).body(kind), ids: [])
            }
        }
    }

    private struct Kept {
        var generation: Int?
        var lists: [ListForm: OwnList] = [:]
    }

    func ids(of kind: Kind) throws -> OwnList { try list(.ids(kind)) }

    func validators(of kind: Kind) throws -> ListBody { try list(.validators(kind)).body }

    private func list(_ form: ListForm) throws -> OwnList {
        let generation = try store.generation()
        if let list = lists.withLock({ $0.generation == generation ? $0.lists[form] : nil }) { return list }
        return try make(form)
    }

    private func make(_ form: ListForm) throws -> OwnList {
        var generation = try store.generation()
        var list = try form.list(from: store)
        // A list is read in several passes. If somebody wrote meanwhile it is made once more; beyond that it is given
        // out as it is, true of each of its members at some moment of this request, and not kept.
        for _ in 0..<3 {
            let after = try store.generation()
            if after == generation {
                lists.withLock { kept in
                    if kept.generation != generation { kept = Kept(generation: generation) }
                    kept.lists[form] = list
                }
                return list
            }
            generation = after
            list = try form.list(from: store)
        }
        return list
    }

    // MARK: - Writes

    /// Stores a flag. No list knows of flags, so the lists are kept.
    func setFlag(_ key: String, to value: String) throws {
        let before = try store.generation()
        _ = try store.apply([.flag(key: key, value: value)], run: nil)
        let after = try store.generation()
        // Every transaction adds one: if one was added, it was this.
        guard after == before + 1 else { return }
        lists.withLock { if $0.generation == before { $0.generation = after } }
    }

    // MARK: - The partner

    private struct Partner {
        let id: String
        let slug: String?
        /// The mirror's.
        let name: String

        func isCalled(_ key: String) -> Bool {
            UTF8Order.equal(id, key) || slug.map { UTF8Order.equal($0, key) } ?? false
                || UTF8Order.equal(name, key)
        }
    }

    /// Whether this is the mirror of the partner with that id or slug; also by the mirror's own name, as an id may be anything.
    func isOf(partner name: String) throws -> Bool {
        if let known = partner.withLock({ $0 }), known.isCalled(name) { return true }
        guard let id = try store.servedSingle(.partner)?.id else { return false }
        let found = Partner(id: id, slug: try store.find(.partner, id)?.summary.slug, name: self.name)
        partner.withLock { $0 = found }
        return found.isCalled(name)
    }

    /// Whether it was made from a catalogue's files: only then it takes writes, and its pictures may be drawn.
    func isCatalogue() throws -> Bool { try store.isCatalogue }
}
