import MirrorSync

/// One action of a history. All that it needs is drawn in advance, so that any action can be left out.
package enum HistoryAction: Sendable, Hashable {
    /// The partner changes its catalogue; the change is drawn from the seed.
    case partnerEdit(UInt64)
    /// A local user edits an album or writes a note; the edit is drawn from the seed.
    case localEdit(UInt64)
    /// Time passes, in seconds.
    case wait(Double)
    /// The mirror's clock, or the server's, is set forward or back by a number of seconds.
    case setClock(Double), setServerClock(Double)
    /// The feed discards its events of some kinds, given by their indices; or continues with other event ids, as after a
    /// restored backup.
    case discardEvents([Int]), replaceEventsLog
    /// The catalogue's lists are filled, with more members than the delete guard lets a run delete.
    case fill(UInt64)
    /// A local user runs `mirror pause`, or `mirror resume`.
    case pauseWatch, resumeWatch
    case sync(SyncAction)
    case watch(WatchAction)
}

/// What goes wrong, or happens at the same time, during a run.
package struct Disturbances: Sendable, Hashable {
    var faults: UInt64?
    /// Whether the first request fails.
    var failsFirstRequest = false
    /// Actions that happen between the requests of the run.
    var concurrentActions: [ConcurrentAction] = []
    var crash: Crash?
    /// A fault that lasts for the whole run.
    var hazard: Hazard?

    struct ConcurrentAction: Sendable, Hashable {
        let request: Int
        let action: HistoryAction
    }

    /// The process is killed, or the power is cut.
    struct Crash: Sendable, Hashable {
        enum Moment: Sendable, Hashable {
            case write(CrashDisk.CrashPoint)
            /// After half of the answer to the request with this number.
            case request(Int)
        }

        let moment: Moment
        /// The seed of a power cut's losses; `nil` if only the process was killed.
        var power: UInt64?
    }
}

/// One sync, with its options and disturbances.
package struct SyncAction: Sendable, Hashable {
    enum Mode: Sendable, Hashable, CaseIterable { case usual, audit, full, failFast, impatient }

    var mode = Mode.usual
    /// Whether the delete guard is set so high that it allows every deletion.
    var disablesDeleteGuard = true
    var disturbances = Disturbances()
    /// A pause in the middle of the run.
    var pause: RunPause?
}

/// A watch from its start to its end: a first sync, then rounds.
package struct WatchAction: Sendable, Hashable {
    struct Round: Sendable, Hashable {
        /// Actions before the round.
        var before: [HistoryAction] = []
        var disturbances = Disturbances()
        /// Whether the round is a sync of all kinds.
        var isSync = false
    }

    var start = Disturbances()
    var rounds: [Round] = []
}
