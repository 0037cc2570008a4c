import Foundation
import MirrorSync

/// Shows how far a verification is while it runs: the thin shell around ``VerifyProgress``.
struct VerifyReporter: Sendable {
    let screen: Screen
    let style: ProgressMode.Style
    let monitor: VerifyMonitor
    /// Called at each look, for output that waits in buffers.
    var atEachLook: @Sendable () -> Void = {}

    private var isDrawn: Bool { style == .block || style == .tree }
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
        var lastLine = 0.0
        // Ends when it is cancelled, which is when the verification has ended.
        while (try? await Task.sleep(for: isDrawn ? .milliseconds(125) : .seconds(1))) != nil {
            atEachLook()
            let elapsed = (ContinuousClock.now - began) / .seconds(1)
            let progress = VerifyProgress(monitor.progress, elapsed: elapsed)
            if isDrawn {
                screen.draw(progress.block(width: screen.currentSize.columns, hasColour: screen.hasColour))
            } else if style == .lines, elapsed - lastLine >= Self.lineInterval {
                lastLine = elapsed
                screen.line(progress.line)
            }
        }
    }
}
