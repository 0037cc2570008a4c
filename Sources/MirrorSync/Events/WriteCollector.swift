import MirrorStore
import Synchronization

/// Keeps the writes of a page until all of it has come.
final class WriteCollector: WriteReceiver {
    private let writes = Mutex<[Write]>([])

    func submit(_ write: Write) async throws { writes.withLock { $0.append(write) } }

    /// What was kept is stored when the page is.
    func flush() async throws {}

    func take() -> [Write] {
        writes.withLock { writes in
            defer { writes = [] }
            return writes
        }
    }
}
