import Catalogue
import MirrorStore

/// Whether everything that one of the partner's own lists names is here.
struct OwnListCheck {
    /// Ids that came of one, and whether they are the last.
    struct Part: Sendable {
        let kind: Kind
        let ids: [String]
        let isLast: Bool
    }

    let store: CatalogueStore
    private var counts: [Kind: Int] = [:]
    private var lacking: Set<Kind> = []

    init(_ store: CatalogueStore) { self.store = store }

    mutating func take(_ part: Part) throws {
        counts[part.kind, default: 0] += part.ids.count
        guard !lacking.contains(part.kind) else { return }
        if try !store.areHeld(part.kind, part.ids) { lacking.insert(part.kind) }
    }

    /// How many a list names; `nil` if something of it isn't here.
    func count(_ kind: Kind) -> Int? { lacking.contains(kind) ? nil : counts[kind, default: 0] }
}
