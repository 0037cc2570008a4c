/// Which kind of histories is drawn.
package enum HistoryProfile: Sendable, Hashable {
    /// Everything: crashes, event feeds, secrets, pictures, hostile names. The invariants are checked after every run,
    /// and what a reader sees after every commit.
    case torture
    /// Only changes, edits, faults and syncs; the mirror is compared with the server at the end. Many run in a second:
    /// they test the order of operations. The database and the cache stay open from one history to the next.
    case calm

    /// The interval of seeds whose calm history runs as the command does: each run opens its own files and runs all
    /// hooks.
    package static let ownFilesInterval: UInt64 = 200
}
