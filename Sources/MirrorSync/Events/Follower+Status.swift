import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// How it stands.
extension Follower {
    func add(to status: inout WatchStatus) {
        let (agenda, way, syncing) = state.withLock { ($0.agenda, $0.way, $0.syncing) }
        let scheduled = scheduler.status
        status.phase = syncing.map(WatchStatus.Phase.syncing) ?? .following
        status.way = way
        status.interval = way == .events ? setting.interval : agenda.pollInterval
        status.nextSync = agenda.next
        status.waitingFiles = context.files.count
        context.tally.look(at: context.session.statistics)
        status.loops =
            way == .events ? scheduled.loops.map { loop($0, tick: scheduled.nextTick) } : [poll(agenda)]
    }

    private func loop(_ loop: LoopStatus, tick: Duration?) -> WatchStatus.Loop {
        let next = [loop.health.nextTry, tick].compactMap(\.self).max()
        return WatchStatus.Loop(
            id: loop.id, kind: loop.isCore ? .core : .show, activity: loop.activity,
            health: loop.health.state, message: loop.health.lastError,
            lastSuccess: loop.lastSuccess.map(context.date), next: next.map(context.date))
    }

    private func poll(_ agenda: SyncAgenda) -> WatchStatus.Loop {
        WatchStatus.Loop(
            id: LoopRecord.pollID, kind: .poll, activity: .waiting,
            health: agenda.notBefore == nil ? .well : .backingOff, message: nil, lastSuccess: nil,
            next: agenda.next)
    }
}
