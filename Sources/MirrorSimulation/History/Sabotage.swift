import MirrorHTTP
import MirrorStore
import MirrorSync

/// A bug that is planted, from outside, for tests of the checks.
package struct Sabotage: Sendable {
    /// Done to the mirror's database before a history, such as a trigger.
    package var sql: String?
    /// Between the mirror and the server.
    package var transport: (@Sendable (any Transport, MirrorFolder) -> any Transport)?
    /// Done to the folder after each crash, as a bad disk would.
    package var afterCrash: (@Sendable (MirrorFolder) throws -> Void)?
    /// Done to a sync that is paused.
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
