/// What kind of histories are drawn.
package enum HistoryProfile: Sendable, Hashable {
    /// With everything: crashes, feeds of events, secrets, pictures, names that nobody should trust. What must never be false
    /// is checked after every run, and what a reader sees after every commit.
    case torture
    /// Changes, edits, faults and syncs alone, held against the server at the end: many a second, for what lies in the order
    /// of things. The database and the cache stay open from one history to the next.
    case calm

    /// Every so many calm histories run with all that the command does around a sync.
    package static let wholeEvery: UInt64 = 200
}
