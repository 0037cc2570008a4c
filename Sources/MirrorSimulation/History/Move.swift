import MirrorSync

/// One thing that happens in a history, with all that it draws, so that any of them can be left out.
package enum Move: Sendable, Hashable {
    /// Somebody at the partner's changes something.
    case change(UInt64)
    /// Somebody here edits an album, or writes a note.
    case edit(UInt64)
    /// Time passes, in seconds.
    case pass(Double)
    /// Somebody sets a clock by so many seconds: here, or there.
    case setClock(Double), setServerClock(Double)
    /// The feed forgets what it had to tell of some kinds, by their places; or is of another database.
    case cutEvents([Int]), anotherLog
    /// The catalogue becomes one with more in its lists than the delete guard passes over.
    case fill(UInt64)
    /// Somebody here has the mirror's watch pause (`mirror pause`), or go on (`mirror resume`).
    case pauseWatch, resumeWatch
    case sync(SyncMove)
    case watch(WatchMove)
}

/// What may go wrong, or happen meanwhile, in a run.
package struct Trouble: Sendable, Hashable {
    var faults: UInt64?
    /// Whether the very first request meets one.
    var isEager = false
    /// What comes between its requests, before the request of that number.
    var meanwhile: [Meanwhile] = []
    var crash: Crash?
    /// What is wrong from its beginning to its end.
    var hazard: Hazard?

    struct Meanwhile: Sendable, Hashable {
        let request: Int
        let move: Move
    }

    /// The process dies.
    struct Crash: Sendable, Hashable {
        enum Moment: Sendable, Hashable {
            case write(CrashDisk.Death)
            /// With half of the answer to that request.
            case request(Int)
        }

        let moment: Moment
        /// From what the power cut's losses are drawn; `nil`: the process alone was killed.
        var power: UInt64?
    }
}

package struct SyncMove: Sendable, Hashable {
    enum Way: Sendable, Hashable, CaseIterable { case usual, audit, full, failFast, impatient }

    var way = Way.usual
    /// Whether the delete guard lets everything pass.
    var mayDelete = true
    var trouble = Trouble()
    /// Somebody pauses it on its way.
    var pause: RunPause?
}

/// A watch from its start to its end: a first sync, then rounds.
package struct WatchMove: Sendable, Hashable {
    struct Round: Sendable, Hashable {
        /// What happens before it.
        var before: [Move] = []
        var trouble = Trouble()
        /// Whether it is a whole sync.
        var isSync = false
    }

    var start = Trouble()
    var rounds: [Round] = []
}
