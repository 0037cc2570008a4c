/// Which kind of histories is drawn.
package enum HistoryProfile: Sendable, Hashable {
    /// Everything: crashes, event feeds, secrets, pictures, hostile names. The invariants are checked after every run,
    /// and what a reader sees after every commit.
    case torture
    /// Only changes, edits, faults and syncs; the mirror is compared with the server at the end. Many run in a second:
    /// they test the order of operations. The database and the cache stay open from one history to the next.
    case calm
    /// A museum with a described catalogue instead of a partner: crashes, faults, budgets, absences. The invariants are checked
    /// after every run, and what a reader sees after every commit.
    case museum

    /// The profile of a history of `mirror-bench torture`: one in each four successive seeds is that of a museum.
    ///
    /// Its place among the four changes, so that processes which take every second or fourth seed get equally many.
    package static func ofTorture(_ seed: UInt64) -> HistoryProfile {
        (seed &+ seed / 4).isMultiple(of: 4) ? .museum : .torture
    }

    /// The interval of seeds whose calm history runs as the command does: each run opens its own files and runs all
    /// hooks.
    package static let ownFilesInterval: UInt64 = 200
}
