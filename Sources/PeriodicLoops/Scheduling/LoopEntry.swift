/// An enabled loop and what is known of it. Only touched under the engine's lock.
final class LoopEntry {
    let loop: any ScheduledLoop
    let isCore: Bool
    var health: LoopHealth

    var isQueued = false
    /// Asked for while it ran: it is queued again when that has ended.
    var isTriggered = false
    /// Pages in a row since it was queued by a tick or a trigger.
    var pages = 0
    /// How many operations in a row fetched something afresh.
    var refreshes = 0
    var lastSuccess: Duration?
    var successes = 0
    var failedTries = 0

    init(_ loop: any ScheduledLoop, isCore: Bool, health: LoopHealth) {
        self.loop = loop
        self.isCore = isCore
        self.health = health
    }

    var id: LoopID { loop.loopID }

    func status(_ activity: LoopStatus.Activity, hasStrayTry: Bool) -> LoopStatus {
        LoopStatus(
            id: id, isCore: isCore, activity: activity, health: health, lastSuccess: lastSuccess,
            successes: successes, failedTries: failedTries, hasStrayTry: hasStrayTry)
    }
}
