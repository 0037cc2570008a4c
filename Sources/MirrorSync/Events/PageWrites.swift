import Catalogue
import MirrorStore
import Synchronization

/// Keeps the writes of a page until all of it has come, in the order in which they are stored: what refers to something
/// comes after it.
final class PageWrites: WriteReceiver {
    private struct State {
        var objects: [Kind: [Write]] = [:]
        var others: [Write] = []
        var tombstones: [Kind: [Write]] = [:]
        /// Kinds whose own list no longer says that all of its members, and what is under them, are stored.
        var touched: Set<Kind> = []
    }

    private let state = Mutex(State())

    func add(_ write: Write) {
        state.withLock { state in
            if let kind = write.touchedKind { state.touched.insert(kind) }
            switch write {
            case .object(let record): state.objects[record.kind, default: []].append(write)
            case .tombstone(let kind, _, _): state.tombstones[kind, default: []].append(write)
            default: state.others.append(write)
            }
        }
    }

    func submit(_ write: Write) async throws { add(write) }

    /// What was kept is stored when the page is.
    func flush() async throws {}

    func inOrder(madeAt date: Double?, _ listed: [Kind]) -> [Write] {
        let state = state.withLock { $0 }, kinds = [Kind.partner] + listed
        return listed.filter(state.touched.contains).map { .unclean(kind: $0, date: date) }
            + kinds.flatMap { state.objects[$0] ?? [] } + state.others
            + kinds.reversed().flatMap { state.tombstones[$0] ?? [] }
    }
}

extension Write {
    /// The kind of the objects of which it changes one, or what is under one.
    var touchedKind: Kind? {
        switch self {
        case .object(let record): record.kind
        case .document(let record): record.owner.kind
        case .showImages: .show
        case .members(let answer, _): answer.list.owner.kind
        case .membersPart(let part): part.list.list.owner.kind
        case .tombstone(let kind, _, _), .refetch(let kind, _): kind
        case .imageFile, .documentFile, .confirmed, .flag, .unclean, .tried, .mayLack, .fileRefused: nil
        }
    }
}
