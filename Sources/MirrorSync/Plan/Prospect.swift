import MirrorStore

/// What a run will do to an object, as far as its list and what is stored tell.
enum Prospect: Sendable, Hashable {
    case created, updated
    /// It is asked for, and will turn out to be what it was.
    case unchanged
    /// Only asking would tell.
    case undecided

    /// - Parameter trustsETags: whether what is stored was made from this very server's answers.
    init(stored: ListedMember.Stored, listed: String?, trustsETags: Bool = true) {
        switch (stored, listed) {
        case (.nothing, _): self = .created
        case (.row(let etag?, _), let listed?) where trustsETags:
            self = etag == listed ? .unchanged : .updated
        case (.row, _): self = .undecided
        }
    }
}
