import MirrorSync
import Synchronization

/// Shows how far the first sync of a watch is, until it has ended.
final class WatchProgress: Sendable {
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
        let task = Task {
            // Ends by being cancelled, and by nothing else.
            _ = try? await reporter.whileRunning { try await Task.sleep(for: .seconds(1_000_000_000)) }
        }
        showing.withLock { showing in
            showing?.cancel()
            showing = task
        }
    }

    func end() {
        showing.withLock { showing in
            showing?.cancel()
            showing = nil
        }
        screen.clear()
    }
}
