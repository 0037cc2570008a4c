import Foundation
import MirrorSync

/// Shows how far a sync is while it runs: the thin shell around ``ProgressMeter`` and the renderers.
struct ProgressReporter: Sendable {
    let screen: Screen
    let style: ProgressMode.Style
    let monitor: SyncMonitor
    /// Called at each look, for output that waits in buffers.
    var atEachLook: @Sendable () -> Void = {}

    /// Eight times a second looks alive; a line every ten seconds fills no log.
    private var interval: Duration { style == .block || style == .tree ? .milliseconds(125) : .seconds(1) }
    private static let lineInterval = 10.0

    func whileRunning<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        defer { screen.clear() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                await show()
                return nil
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    private func show() async {
        let began = ContinuousClock.now
        var meter = ProgressMeter(), lastLine = 0.0
        // Ends when it is cancelled, which is when the sync has ended.
        while (try? await Task.sleep(for: interval)) != nil {
            atEachLook()
            let snapshot = monitor.snapshot, waiting = monitor.waiting
            guard style != .none, snapshot != nil || waiting != nil else { continue }
            let elapsed = (ContinuousClock.now - began) / .seconds(1)
            var state = meter.state(
                snapshot.map(ProgressMeter.Sample.init) ?? .init(), elapsed: elapsed,
                isWaiting: waiting != nil)
            state.waiting = waiting.flatMap(WaitingText.progress)
            let (width, rows) = screen.currentSize
            switch style {
            case .block: screen.draw(ProgressBlock(width: width, hasColour: screen.hasColour).lines(state))
            case .tree:
                screen.draw(
                    ProgressTree(width: width, height: rows - 1).lines(snapshot?.counts ?? [:], footer: state)
                )
            case .lines where elapsed - lastLine >= Self.lineInterval:
                lastLine = elapsed
                screen.line(ProgressLine.text(state))
            case .lines, .none: break
            }
        }
    }
}
