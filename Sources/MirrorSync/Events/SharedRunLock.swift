import MirrorStore
import Synchronization

/// The run lock as one program holds it that does several things at once: taken by the first, let go by the last.
final class SharedRunLock: Sendable {
    private struct Holding {
        weak var lock: RunLock?
    }

    private let holding = Mutex(Holding())

    /// - Throws: ``StoreError/Code/locked`` if another program holds it.
    func take(_ folder: MirrorFolder) throws -> RunLock {
        try holding.withLock { holding in
            if let lock = holding.lock { return lock }
            let lock = try RunLock(folder)
            holding.lock = lock
            return lock
        }
    }
}
