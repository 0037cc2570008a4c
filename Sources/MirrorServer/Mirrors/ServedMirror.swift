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
    /// The partner's id and slug, and the mirror's name.
    private let partnerNames = Mutex<[String]>([])

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

    /// A list of the partner's own.
    struct OwnList: Sendable {
        let body: ListBody
        /// In the same order; empty in lists with validators.
        let ids: [String]
    }

    private struct ListForm: Hashable {
        let kind: Kind
        let hasValidators: Bool
    }

    private struct Kept {
        var generation: Int?
        var lists: [ListForm: OwnList] = [:]
    }

    func ids(of kind: Kind) throws -> OwnList { try list(ListForm(kind: kind, hasValidators: false)) }

    func validators(of kind: Kind) throws -> ListBody {
        try list(ListForm(kind: kind, hasValidators: true)).body
    }

    private func list(_ form: ListForm) throws -> OwnList {
        var generation = try store.generation()
        if let list = lists.withLock({ $0.generation == generation ? $0.lists[form] : nil }) { return list }
        // A list is read in several passes. If somebody wrote meanwhile it is made again; beyond that it is given out as
        // it is, true of each of its members at some moment of this request, and not kept.
        for _ in 0..<3 {
            let list = try make(form), after = try store.generation()
            if after == generation {
                lists.withLock { kept in
                    if kept.generation != generation { kept = Kept(generation: generation) }
                    kept.lists[form] = list
                }
                return list
            }
            generation = after
        }
        return try make(form)
    }

    private func make(_ form: ListForm) throws -> OwnList {
        if form.hasValidators {
            return OwnList(body: try store.validatorsList(form.kind), ids: [])
        }
        var ids: [String] = []
        try store.served { try $0.eachListed(form.kind) { id, _ in ids.append(id) } }
        return OwnList(body: .ids(ids), ids: ids)
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

    /// Whether this is the mirror of the partner with that id or slug; also by the mirror's own name, as an id may be anything.
    func isOf(partner name: String) throws -> Bool {
        func isKnown() -> Bool { partnerNames.withLock { $0.contains { UTF8Order.equal($0, name) } } }
        if isKnown() { return true }
        guard let id = try store.servedSingle(.partner)?.id else { return false }
        let slug = try store.find(.partner, id)?.summary.slug
        let names = [id, self.name] + [slug].compactMap(\.self)
        partnerNames.withLock { $0 = names }
        return isKnown()
    }

    /// Whether it was made from a catalogue's files: only then it takes writes, and its pictures may be drawn.
    func isCatalogue() throws -> Bool { try store.isCatalogue }
}
