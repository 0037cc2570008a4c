import Catalogue
import Foundation
import MirrorStore
import PeriodicLoops

/// Events, or polls where there are none.
extension Follower {
    func follow() {
        state.withLock { state in
            state.way = .events
            state.agenda.poll(every: nil, from: setting.now())
        }
        do { try context.store.forgetLoops([LoopRecord.pollID]) } catch {
            context.problem(error, about: "poll")
        }
        context.observer.handler(.following(.events, interval: setting.interval))
    }

    func poll(_ way: WatchWay, _ cost: PollInterval.Cost? = nil) {
        let interval = PollInterval.interval(way, cost, least: setting.interval), now = setting.now()
        let isNews = state.withLock { state in
            // A little more or less is no news.
            let told = state.toldInterval
            let isNews = state.way != way || told.map { interval > $0 * 2 || interval * 2 < $0 } ?? true
            if isNews { state.toldInterval = interval }
            state.way = way
            state.agenda.poll(every: interval, from: now)
            return isNews
        }
        notePoll(way, interval, wentWell: cost != nil)
        if isNews { context.observer.handler(.following(way, interval: interval)) }
    }

    private func notePoll(_ way: WatchWay, _ interval: Duration, wentWell: Bool) {
        let now = setting.now(), seconds = Int(interval / .seconds(1))
        let health: JSONObject = ["way": .string(way.rawValue), "interval": .integer(seconds)]
        context.note(
            LoopRecord(
                id: LoopRecord.pollID, kind: .poll, lastAt: wentWell ? CatalogueStore.text(of: now) : nil,
                message: "no events here: a sync by \(way.rawValue) every \(seconds) s",
                nextAt: CatalogueStore.text(of: now.addingTimeInterval(Double(seconds))),
                health: health.canonicalText))
    }

    /// The server said that it has events, and answers no feed.
    func pollInstead() {
        for id in scheduler.enabledLoops where id != LoopRecord.coreID { scheduler.disableLoop(id) }
        do {
            try context.store.forgetLoops(context.store.loops().map(\.id))
        } catch {
            context.problem(error, about: LoopRecord.coreID)
        }
        poll(WatchWay(context.extensions, hasEvents: false))
    }
}
