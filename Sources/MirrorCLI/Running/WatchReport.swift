import Catalogue
import Foundation
import MirrorStore
import MirrorSync
import Synchronization

/// Prints the events and changes of one watched mirror: as lines, or as objects with `--json`.
struct WatchReport: Sendable {
    private let report: RunReport
    private let progress: WatchProgress
    private let changes: NewChanges
    private let isNew: Bool

    /// Create it before the watch begins: changes that the log already contains are not reported.
    init(_ report: RunReport, progress: ProgressMode.Style) throws {
        self.report = report
        self.progress = WatchProgress(screen: report.screen, style: progress)
        changes = NewChanges(report.folder)
        isNew = !report.folder.exists
        if !isNew { try changes.skip() }
    }

    private var name: String { report.folder.name }
    private var isJSON: Bool { report.results.isJSON }

    var observer: WatchObserver {
        WatchObserver(
            monitor: { reason in
                let monitor = SyncMonitor { add($0) }
                if reason == .first { progress.begin(monitor) }
                return monitor
            }, handler: { add($0) })
    }

    private func add(_ event: SyncMonitor.Event) {
        switch event {
        // The changes of a sync are read from the log after it has ended.
        case .item: break
        case .problem(let problem): add(problem)
        case .waiting(let waiting): add(WaitingText.object(waiting), WaitingText.logLine(waiting))
        }
    }

    private func add(_ event: WatchEvent) {
        switch event {
        case .syncBegan(let reason):
            let text = reason == .first ? (isNew ? "first sync" : "sync") : nil
            add(["type": "sync_began", "reason": .string(reason.rawValue)], text)
        case .syncEnded(let reason, let summary):
            if reason == .first { progress.end() }
            ended(reason, summary)
        case .following(let way, let interval):
            let seconds = interval / .seconds(1)
            add(
                ["type": "following", "way": .string(way.rawValue), "interval": .decimal(seconds)],
                "\(Self.sentence(way)), every \(Wording.duration(seconds))")
        case .pageApplied(let page):
            add(
                [
                    "type": "page", "loop": .string(page.loop),
                    "run": page.run.map { .integer(Int($0)) } ?? .null, "events": .integer(page.events),
                    "refresh": .bool(page.isRefresh), "seconds": .decimal(page.duration / .seconds(1)),
                ], nil)
            addChanges(isFirst: false)
        // Objects are reported from the log. There are many files, so they are reported only with `--json`, except for those
        // that the server doesn't have.
        case .item(let kind, let id, let action, let bytes):
            let isMissing = action == SyncMonitor.unavailable
            guard isMissing || (isJSON && bytes != nil) else { break }
            add(
                RunReport.object(.item(kind: kind, id: id, action: action, bytes: bytes)),
                "\(kind == "image" ? "picture" : kind) \(id.printable): not available on the server")
        case .loopChanged(let loop):
            // Polling and its interval were reported when it began.
            let isKnown = loop.kind == LoopRecord.Kind.poll.rawValue && loop.state == LoopRecord.enabled
            add(loop.json, isKnown ? nil : "loop \(loop.line)")
        case .loopEnded(let id):
            add(
                ["type": "loop", "id": .string(id), "state": .string(LoopRecord.over)],
                "loop \(id.printable): ended")
        case .paused(let since):
            add(
                PauseText.object(name, since: since),
                "paused; end the pause with: mirror resume \(name.printable)")
        case .resumed: add(PauseText.object(name, since: nil), "continues after the pause")
        case .problem(let problem): add(problem)
        }
        report.results.output.flush()
    }

    private func ended(_ reason: WatchSync, _ summary: SyncSummary) {
        if isJSON {
            var ended = summary.json
            ended["type"] = "sync"
            ended["reason"] = .string(reason.rawValue)
            add(ended, nil)
        } else if reason == .first || summary.outcome != .complete || summary.hasChanges {
            line(SummaryText.headline(summary) + (summary.failure.map { " \($0.printable)" } ?? ""))
            if let until = summary.continuesAt { line("waiting until \(Wording.time(until))") }
            if let sentence = UnavailableText.sentence(summary.unavailable) { line(sentence) }
            if let sentence = UnavailableText.sentence(summary.absent) { line(sentence) }
            if let sentence = SummaryText.untiled(summary) { line(sentence) }
        }
        addChanges(isFirst: reason == .first && isNew)
    }

    private static func sentence(_ way: WatchWay) -> String {
        switch way {
        case .events: "following its events"
        case .since: "requesting changes since the last time"
        case .validators: "comparing its lists"
        case .tree: "requesting everything"
        case .source: "requesting what changed in the source"
        }
    }

    private func add(_ problem: Problem) {
        guard !isJSON else { return add(problem.json, nil) }
        let subject = [problem.kind, problem.id].compactMap(\.self).joined(separator: " ").printable
        report.screen.line(
            "mirror: \(name): \(subject.isEmpty ? "" : subject + ": ")\(problem.message.printable)")
    }

    /// - Parameter isFirst: whether it is a new mirror's first sync, whose summary has reported everything.
    private func addChanges(isFirst: Bool) {
        guard !report.isQuiet || isJSON, report.folder.exists else { return }
        do {
            if isFirst { return try changes.skip() }
            guard let found = try changes.next() else {
                return add(
                    ["type": "changes", "more_than": .integer(NewChanges.maximumListed)],
                    "more than \(NewChanges.maximumListed) changes at once; list them with: mirror log")
            }
            for change in found { add(change.json, ChangeText.line(change)) }
        } catch {
            report.screen.line("mirror: \(name): \(ErrorMessage.of(error))")
        }
    }

    /// Prints an object with `--json`, else a line if there is a text. Both name the mirror, because several may be watched.
    private func add(_ object: @autoclosure () -> JSONObject, _ text: @autoclosure () -> String?) {
        if isJSON {
            var object = object()
            object["partner"] = .string(name)
            report.results.output.json(object)
        } else if let text = text() {
            line(text)
        }
    }

    private func line(_ text: String) {
        guard !report.isQuiet else { return }
        let time = Date().formatted(.iso8601.time(includingFractionalSeconds: false))
        report.results.line("\(time.prefix(8)) \(name)  \(text)")
    }
}

/// Shows the progress of a watch's first sync, until it has ended.
private final class WatchProgress: Sendable {
    private let screen: Screen
    private let style: ProgressMode.Style
    private let showing = Mutex<Task<Void, Never>?>(nil)

    init(screen: Screen, style: ProgressMode.Style) {
        self.screen = screen
        self.style = style
    }

    func begin(_ monitor: SyncMonitor) {
        guard style != .none else { return }
        let reporter = ProgressReporter(screen: screen, style: style, monitor: monitor)
        show(Task { await reporter.show() })
    }

    func end() {
        show(nil)
        screen.clear()
    }

    private func show(_ task: Task<Void, Never>?) {
        showing.withLock { showing in
            showing?.cancel()
            showing = task
        }
    }
}

/// Reads the changes that were added to a mirror's change log since the last call.
final class NewChanges: Sendable {
    private let folder: MirrorFolder
    /// The sequence number of the last change that was reported.
    private let last = Mutex<Int64>(0)

    /// If there are more changes, they are not reported one by one.
    static let maximumListed = 500

    init(_ folder: MirrorFolder) { self.folder = folder }

    /// Skips the changes that the log contains now.
    func skip() throws {
        let end = try folder.withStore(readOnly: true, checkpointing: false) { try $0.lastChange() }
        last.withLock { $0 = end }
    }

    /// The changes since the last call, the oldest first; `nil` if there are more than ``maximumListed``.
    func next() throws -> [CatalogueChange]? {
        // Without a checkpoint: the watch itself makes them, but not after every page.
        try folder.withStore(readOnly: true, checkpointing: false) { store in
            // The lock allows one call at a time; otherwise two calls could report the same changes.
            try last.withLock { last in
                var changes: [CatalogueChange] = []
                var end = last
                do {
                    try store.history(ChangeFilter()) { change in
                        guard change.seq > last, changes.count <= Self.maximumListed else {
                            throw LimitReached()
                        }
                        end = max(end, change.seq)
                        changes.append(try CatalogueChange(change))
                    }
                } catch is LimitReached {}
                last = end
                return changes.count > Self.maximumListed ? nil : changes.reversed()
            }
        }
    }
}
