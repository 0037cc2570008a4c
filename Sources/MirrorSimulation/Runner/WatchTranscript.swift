import MirrorSync
import Synchronization

/// The lines and problems that a watch reported, until they are taken.
final class WatchTranscript: Sendable {
    private struct State {
        var lines: [String] = []
        var problems: [Problem] = []
    }

    private let state = Mutex(State())

    func note(_ event: WatchEvent) {
        guard let line = Self.line(event) else { return }
        state.withLock { state in
            state.lines.append(line)
            switch event {
            case .problem(let problem): state.problems.append(problem)
            case .pageApplied(let page): state.problems += page.problems
            default: break
            }
        }
    }

    func take() -> (lines: [String], problems: [Problem]) {
        state.withLock { state in
            defer { state = State() }
            return (state.lines, state.problems)
        }
    }

    private static func line(_ event: WatchEvent) -> String? {
        switch event {
        case .pageApplied(let page):
            "page of \(page.loop), \(page.events) events\(page.isRefresh ? ", refresh" : "")"
        case .loopChanged(let loop): "loop \(loop.id) \(loop.state) \(loop.message ?? "")"
        case .loopEnded(let id): "loop \(id) ended"
        case .problem(let problem): "\(problem.what) \(problem.id ?? ""): \(problem.message)"
        case .syncEnded(_, let summary): "sync \(summary.outcome.rawValue) \(summary.failure ?? "")"
        case .paused(let since): "paused \(since)"
        case .resumed: "resumed"
        case .syncBegan, .following, .item: nil
        }
    }
}
