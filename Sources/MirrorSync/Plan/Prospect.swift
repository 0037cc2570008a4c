import MirrorStore

/// What a run will do to an object, as far as its list and what is stored tell.
enum Prospect: Sendable, Hashable {
    case created, updated
    /// It is asked for, and will turn out to be what it was.
    case unchanged
    /// Only asking would tell.
    case undecided

    /// - Parameters:
    ///   - trustsETags: whether what is stored was made from this very server's answers.
    ///   - joins: whether what is stored comes, or comes back, with the list; see ``ListedMember/joins``.
    init(stored: ListedMember.Stored, listed: String?, trustsETags: Bool = true, joins: Bool = false) {
        switch (stored, listed) {
        case (.nothing, _): self = .created
        case (.row, _) where joins: self = .updated
        case (.row(let etag?, _), let listed?) where trustsETags:
            self = etag == listed ? .unchanged : .updated
        case (.row, _): self = .undecided
        }
    }
}
