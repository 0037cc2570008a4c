import Catalogue
import MirrorStore

/// The writes of a page, in the order in which they are stored: whatever refers to something comes after it.
struct PageWrites {
    private var objects: [Kind: [Write]] = [:]
    private var others: [Write] = []
    private var tombstones: [Kind: [Write]] = [:]
    /// Kinds whose own list no longer tells that all of its members, and what is under them, are here.
    private var touched: Set<Kind> = []

    mutating func add(_ write: Write) {
        if let kind = write.touchedKind { touched.insert(kind) }
        switch write {
        case .object(let record): objects[record.kind, default: []].append(write)
        case .tombstone(let kind, _, _): tombstones[kind, default: []].append(write)
        default: others.append(write)
        }
    }

    func inOrder(madeAt date: Double?, _ listed: [Kind]) -> [Write] {
        let kinds = [Kind.partner] + listed
        return listed.filter(touched.contains).map { .unclean(kind: $0, date: date) }
            + kinds.flatMap { objects[$0] ?? [] } + others + kinds.reversed().flatMap { tombstones[$0] ?? [] }
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
        case .file, .confirmed, .flag, .unclean, .tried, .mayLack, .fileRefused: nil
        }
    }
}
