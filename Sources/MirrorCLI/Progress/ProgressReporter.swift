import ArgumentParser
import Foundation
import MirrorSync

/// Returns the progress after a number of seconds: as a block for a terminal, and as a line.
typealias ProgressView = (_ elapsed: Double) -> (block: [String], line: String)?

/// The source of a sync's or a verification's progress.
protocol ProgressSource: Sendable {
    /// Begins to observe progress. The returned closure is called for every update.
    func watch(_ screen: Screen, _ style: ProgressMode.Style) -> ProgressView
}

extension SyncMonitor: ProgressSource {
    func watch(_ screen: Screen, _ style: ProgressMode.Style) -> ProgressView {
        var meter = ProgressMeter()
        return { elapsed in
            let snapshot = self.snapshot, waiting = self.waiting
            guard snapshot != nil || waiting != nil else { return nil }
            let sample = snapshot.map(ProgressMeter.Sample.init) ?? .init()
            var state = meter.state(sample, elapsed: elapsed, isWaiting: waiting != nil)
            state.waiting = waiting.flatMap(WaitingText.progress)
            state.limit = sample.pace.flatMap(Wording.limit)
            let (width, rows) = screen.size()
            let block =
                style == .tree
                ? ProgressTree(width: width, height: rows - 1).lines(sample.counts, footer: state)
                : ProgressBlock(width: width, hasColour: screen.hasColour).lines(state)
            return (block, ProgressLine.text(state))
        }
    }
}

extension VerifyMonitor: ProgressSource {
    func watch(_ screen: Screen, _ style: ProgressMode.Style) -> ProgressView {
        { elapsed in
            let progress = VerifyProgress(self.progress, elapsed: elapsed)
            let block = progress.block(width: screen.size().columns, hasColour: screen.hasColour)
            return (block, progress.line)
        }
    }
}

/// Shows the progress of a run at intervals. The meters and renderers decide what is shown.
struct ProgressReporter: Sendable {
    let screen: Screen
    let style: ProgressMode.Style
    let monitor: any ProgressSource
    /// Called at each update, to flush buffered output.
    var onUpdate: @Sendable () -> Void = {}

    private static let lineInterval = 10.0

    func whileRunning<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        defer { screen.clear() }
        // When `body` has ended, the child task is cancelled and awaited, before the screen is cleared.
        async let _ = show()
        return try await body()
    }

    /// Shows progress until the task is cancelled.
    func show() async {
        let began = ContinuousClock.now, progress = monitor.watch(screen, style)
        let isDrawn = style == .block || style == .tree
        var lastLine = 0.0
        // A terminal is redrawn 8 times per second. Elsewhere a line is printed every 10 seconds, to keep logs short.
        while (try? await Task.sleep(for: isDrawn ? .milliseconds(125) : .seconds(1))) != nil {
            onUpdate()
            let elapsed = (ContinuousClock.now - began) / .seconds(1)
            guard style != .none, let view = progress(elapsed) else { continue }
            if isDrawn {
                screen.draw(view.block)
            } else if elapsed - lastLine >= Self.lineInterval {
                lastLine = elapsed
                screen.line(view.line)
            }
        }
    }
}

/// The values of `--progress`.
enum ProgressMode: String, ExpressibleByArgument, CaseIterable {
    case auto, tree, plain, none

    /// The style for a screen: progress is drawn in place only on a terminal.
    func style(isTerminal: Bool, isQuiet: Bool) -> Style {
        if isQuiet { return .none }
        switch self {
        case .auto: return isTerminal ? .block : .lines
        case .tree: return isTerminal ? .tree : .lines
        case .plain: return .lines
        case .none: return .none
        }
    }

    enum Style: Sendable, Equatable {
        case block, tree, lines, none
    }
}
