import MirrorStore

/// A sync on behalf of a watch, its observer told.
struct WatchedSync: Sendable {
    private let setting: WatchSetting
    private let observer: WatchObserver
    private let lock: SharedRunLock

    init(_ setting: WatchSetting, _ observer: WatchObserver, lock: SharedRunLock) {
        self.setting = setting
        self.observer = observer
        self.lock = lock
    }

    /// - Returns: how it ended, also if it could not begin.
    func run(_ reason: WatchSync) async -> SyncSummary {
        let monitor = observer.monitor(reason)
        observer.handler(.syncBegan(reason))
        var summary: SyncSummary
        do {
            summary = try await setting.sync(setting.options, lock: lock, isFirst: reason == .first).run(
                monitor)
        } catch {
            summary = SyncSummary(partner: setting.partner, failure: error)
        }
        if summary.cause is CancellationError { summary.outcome = .cancelled }
        observer.handler(.syncEnded(reason, summary))
        return summary
    }
}
