import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// Tells what happens while one mirror is watched: a line for each change to a person, an object for each to a machine.
struct WatchReport: Sendable {
    let output: LineOutput
    let screen: Screen
    let json: Bool
    let isQuiet: Bool
    let folder: MirrorFolder
    private let progress: WatchProgress
    private let changes: NewChanges
    private let isNew: Bool

    init(
        output: LineOutput, screen: Screen, json: Bool, isQuiet: Bool, folder: MirrorFolder,
        progress: ProgressMode.Style
    ) {
        self.output = output
        self.screen = screen
        self.json = json
        self.isQuiet = isQuiet
        self.folder = folder
        self.progress = WatchProgress(screen: screen, style: progress)
        changes = NewChanges(folder)
        isNew = !folder.exists
    }

    private var name: String { folder.name }

    var observer: WatchObserver {
        WatchObserver(
            monitor: { reason in
                let monitor = SyncMonitor { tell($0) }
                if reason == .first { progress.begin(monitor) }
                return monitor
            }, handler: { tell($0) })
    }

    /// Called before the watch begins: what the log has already is no news.
    func begin() throws {
        if !isNew { try changes.skip() }
    }

    private func tell(_ event: SyncMonitor.Event) {
        switch event {
        // What a sync changes is read from the log when it has ended.
        case .item: break
        case .problem(let problem): tell(problem)
        case .waiting(let waiting):
            if json {
                object(WaitingText.object(waiting))
            } else if !isQuiet {
                line("\(WaitingText.begun(waiting))")
            }
        }
    }

    private func tell(_ event: WatchEvent) {
        switch event {
        case .syncBegan(let reason):
            if json {
                object(["type": "sync_began", "reason": .string(reason.rawValue)])
            } else if reason == .first {
                line(isNew ? "first sync" : "sync")
            }
        case .syncEnded(let reason, let summary):
            if reason == .first { progress.end() }
            ended(reason, summary)
        case .following(let way, let interval): following(way, interval)
        case .pageApplied(let page):
            if json { object(Self.object(page)) }
            tellChanges(isFirst: false)
        // The log tells of objects; files, of which there are many, are for machines, but for those that the server doesn't
        // have.
        case .item(let kind, let id, let action, let bytes):
            let isMissing = action == SyncMonitor.unavailable
            if json, bytes != nil || isMissing {
                object(RunReport.object(.item(kind: kind, id: id, action: action, bytes: bytes)))
            } else if isMissing {
                line("\(kind == "image" ? "picture" : kind) \(id.printable): not available on the server")
            }
        case .loopChanged(let loop):
            if json {
                object(loop.json)
            } else if !Self.isTold(loop) {
                line("loop \(loop.line)")
            }
        case .loopEnded(let id):
            if json {
                object(["type": "loop", "id": .string(id), "state": .string(LoopRecord.over)])
            } else {
                line("loop \(id.printable): ended")
            }
        case .problem(let problem): tell(problem)
        }
        output.flush()
    }

    /// That it polls, and how often, a person has read when it began to.
    private static func isTold(_ loop: LoopRecord) -> Bool {
        loop.kind == LoopRecord.Kind.poll.rawValue && loop.state == LoopRecord.enabled
    }

    private func ended(_ reason: WatchSync, _ summary: SyncSummary) {
        if json {
            var ended = summary.json
            ended["type"] = "sync"
            ended["reason"] = .string(reason.rawValue)
            object(ended)
        } else if reason == .first || summary.outcome != .complete || summary.hasChanges {
            line(SummaryText.headline(summary) + (summary.failure.map { " \($0.printable)" } ?? ""))
            if let sentence = UnavailableText.sentence(summary.unavailable) { line(sentence) }
        }
        tellChanges(isFirst: reason == .first && isNew)
    }

    private func following(_ way: WatchWay, _ interval: Duration) {
        let seconds = interval / .seconds(1)
        if json {
            object(["type": "following", "way": .string(way.rawValue), "interval": .decimal(seconds)])
        } else {
            line("\(Self.sentence(way)), every \(Wording.duration(seconds))")
        }
    }

    private static func sentence(_ way: WatchWay) -> String {
        switch way {
        case .events: "following its events"
        case .since: "asking what changed since the last time"
        case .validators: "comparing its lists"
        case .tree: "looking at everything"
        }
    }

    private func tell(_ problem: Problem) {
        if json {
            object(RunReport.object(.problem(problem)))
        } else {
            let subject = [problem.kind, problem.id].compactMap(\.self).joined(separator: " ").printable
            screen.line(
                "mirror: \(name): \(subject.isEmpty ? "" : subject + ": ")\(problem.message.printable)")
        }
    }

    /// - Parameter isFirst: of a new mirror everything is new: the summary has said it.
    private func tellChanges(isFirst: Bool) {
        guard !isQuiet || json, folder.exists else { return }
        do {
            if isFirst { return try changes.skip() }
            let (found, isTooMany) = try changes.take()
            for change in found {
                if json { object(change.json) } else { line(ChangeText.line(change)) }
            }
            guard isTooMany else { return }
            if json {
                object(["type": "changes", "more_than": .integer(NewChanges.most)])
            } else {
                line("more than \(NewChanges.most) changes at once: mirror log has them")
            }
        } catch {
            screen.line("mirror: \(name): \(Sentence.of(error))")
        }
    }

    private static func object(_ page: WatchedPage) -> JSONObject {
        [
            "type": "page", "loop": .string(page.loop),
            "run": page.run.map { .integer(Int($0)) } ?? .null, "events": .integer(page.events),
            "refresh": .bool(page.isRefresh), "seconds": .decimal(page.duration / .seconds(1)),
        ]
    }

    /// Every object says whose it is: several mirrors may be watched.
    private func object(_ object: JSONObject) {
        var object = object
        object["partner"] = .string(name)
        output.json(object)
    }

    private func line(_ text: String) {
        guard !isQuiet else { return }
        let time = Date().formatted(.iso8601.time(includingFractionalSeconds: false))
        output.line("\(time.prefix(8)) \(name)  \(text)")
    }
}
