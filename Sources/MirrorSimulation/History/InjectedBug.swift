import MirrorHTTP
import MirrorStore
import MirrorSync

/// A bug that is injected from outside, for tests of the checks.
package struct InjectedBug: Sendable {
    /// Executed in the mirror's database before a history, such as the creation of a trigger.
    package var sql: String?
    /// Wraps the transport between the mirror and the server.
    package var transport: (@Sendable (any Transport, MirrorFolder) -> any Transport)?
    /// Called with the mirror's folder after each crash, to damage it as a bad disk would.
    package var afterCrash: (@Sendable (MirrorFolder) throws -> Void)?
    /// Called while a sync is paused.
    package var whilePaused: (@Sendable (SyncMonitor) -> Void)?

    package init(
        sql: String? = nil, transport: (@Sendable (any Transport, MirrorFolder) -> any Transport)? = nil,
        afterCrash: (@Sendable (MirrorFolder) throws -> Void)? = nil,
        whilePaused: (@Sendable (SyncMonitor) -> Void)? = nil
    ) {
        self.sql = sql
        self.transport = transport
        self.afterCrash = afterCrash
        self.whilePaused = whilePaused
    }
}
