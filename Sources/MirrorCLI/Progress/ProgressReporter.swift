import ArgumentParser
import Foundation
import MirrorSync

/// What there is to show after a number of seconds: a block for a terminal, or a line.
typealias ProgressLook = (_ elapsed: Double) -> (block: [String], line: String)?

/// What shows how far it is: a sync, or a verification.
protocol ProgressSource: Sendable {
    /// Begins to watch; what it returns is called again and again.
    func watch(_ screen: Screen, _ style: ProgressMode.Style) -> ProgressLook
}

extension SyncMonitor: ProgressSource {
    func watch(_ screen: Screen, _ style: ProgressMode.Style) -> ProgressLook {
        var meter = ProgressMeter()
        return { elapsed in
            let snapshot = self.snapshot, waiting = self.waiting
            guard snapshot != nil || waiting != nil else { return nil }
            let sample = snapshot.map(ProgressMeter.Sample.init) ?? .init()
            var state = meter.state(sample, elapsed: elapsed, isWaiting: waiting != nil)
            state.waiting = waiting.flatMap(WaitingText.progress)
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
    func watch(_ screen: Screen, _ style: ProgressMode.Style) -> ProgressLook {
        { elapsed in
            let progress = VerifyProgress(self.progress, elapsed: elapsed)
            let block = progress.block(width: screen.size().columns, hasColour: screen.hasColour)
            return (block, progress.line)
        }
    }
}

/// Shows how far a run is while it goes on: the thin shell around the meters and renderers.
struct ProgressReporter: Sendable {
    let screen: Screen
    let style: ProgressMode.Style
    let monitor: any ProgressSource
    /// Called at each look, for output that waits in buffers.
    var atEachLook: @Sendable () -> Void = {}

    private static let lineInterval = 10.0

    func whileRunning<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        defer { screen.clear() }
        // Cancelled, and waited for, when `body` has ended: before the screen is cleared.
        async let _ = show()
        return try await body()
    }

    /// Goes on until it is cancelled.
    func show() async {
        let began = ContinuousClock.now, look = monitor.watch(screen, style)
        let isDrawn = style == .block || style == .tree
        var lastLine = 0.0
        // Eight times a second looks alive; a line every ten seconds fills no log.
        while (try? await Task.sleep(for: isDrawn ? .milliseconds(125) : .seconds(1))) != nil {
            atEachLook()
            let elapsed = (ContinuousClock.now - began) / .seconds(1)
            guard style != .none, let view = look(elapsed) else { continue }
            if isDrawn {
                screen.draw(view.block)
            } else if elapsed - lastLine >= Self.lineInterval {
                lastLine = elapsed
                screen.line(view.line)
            }
        }
    }
}

/// How a run shows how far it is.
enum ProgressMode: String, ExpressibleByArgument, CaseIterable {
    case auto, tree, plain, none

    /// What is drawn on this screen: in place only on a terminal.
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
