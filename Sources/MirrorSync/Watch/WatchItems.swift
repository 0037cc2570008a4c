import MirrorStore
import PeriodicLoops

// The items of a watch's polling centre, which run at intervals beside the loops. They reach their follower by the context,
// which refers to it weakly, because the follower owns the centre.

/// Enables and disables shows' loops, enables a guarded loop again, and checks whether a sync is due.
struct UpkeepItem: Pollable {
    let uid = Follower.Item.upkeep
    let context: FeedContext
    var interval: Duration { max(.seconds(5), min(context.setting.interval, .seconds(60))) }

    func poll() async throws { try context.follower?.runUpkeep() }
}

/// Checks whether the user has paused or resumed the watch.
struct PauseItem: Pollable {
    let uid = Follower.Item.pause
    let context: FeedContext
    let startsAtOnce = true
    var interval: Duration { context.setting.pauseInterval }

    func poll() async throws { try context.follower?.checkPause() }
}

/// Stores the counts.
struct CountsItem: Pollable {
    let uid = Follower.Item.counts
    let context: FeedContext
    let interval = Duration.seconds(60)

    func poll() async throws { context.follower?.storeCounts() }
}

/// Pushes local edits of albums by a whole sync; triggered when ``SyncAgenda`` says so.
struct EditsItem: Pollable {
    let uid = Follower.Item.edits
    let context: FeedContext
    let interval = Duration.seconds(86_400)
    let lane = PollingLane.serial

    func poll() async throws { try await context.follower?.syncIfDue([.edits]) }
}

/// Runs a whole sync, with the loops suspended; triggered when ``SyncAgenda`` says so.
struct WholeSyncItem: Pollable {
    let uid = Follower.Item.sync
    let context: FeedContext
    let interval = Duration.seconds(86_400)
    let lane = PollingLane.serial

    func poll() async throws { try await context.follower?.syncIfDue([.daily, .poll]) }
}

/// Does the follow-up work of stored pages (``FeedContext/followUp()``); triggered by them.
struct FilesItem: Pollable {
    let uid = Follower.Item.files
    let context: FeedContext
    let interval = Duration.seconds(3_600)
    let lane = PollingLane.serial

    func poll() async throws { try await context.follower?.followUp() }
}
