import Foundation
import MirrorStore
import PeriodicLoops
import Synchronization

/// What runs a ``Watch``.
final class WatchEngine: Sendable {
    let setting: WatchSetting
    let observer: WatchObserver
    private let state = Mutex(WatchStatus())

    init(_ setting: WatchSetting, _ observer: WatchObserver) {
        self.setting = setting
        self.observer = observer
    }

    func run() async throws {
        let monitor = observer.monitor(.first)
        observer.handler(.syncBegan(.first))
        let summary = try await Sync(
            partner: setting.partner, folder: setting.folder, base: setting.base,
            isNewOrigin: setting.isNewOrigin, options: setting.options, freeSpace: setting.freeSpace,
            logger: setting.logger, now: setting.now, makeSession: setting.makeSession
        ).run(monitor)
        observer.handler(.syncEnded(.first, summary))
        while !Task.isCancelled { try? await setting.clock.sleep(.seconds(3_600)) }
    }

    func pollNow() {}

    var status: WatchStatus { state.withLock { $0 } }
}
