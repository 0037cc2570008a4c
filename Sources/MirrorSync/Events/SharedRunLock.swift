import MirrorStore
import Synchronization

/// Holds the run lock as long as it lives: a ``RunLock``, or one's part in a ``SharedRunLock``.
package typealias RunHold = any AnyObject & Sendable

/// The run lock as one program holds it that does several things at once: taken by the first, let go by the last.
final class SharedRunLock: Sendable {
    private struct Holding {
        var lock: RunLock?
        var holders = 0
    }

    /// One of those who hold it.
    private final class Hold: Sendable {
        private let shared: SharedRunLock

        init(_ shared: SharedRunLock) { self.shared = shared }

        deinit { shared.letGo() }
    }

    private let holding = Mutex(Holding())

    /// - Throws: ``StoreError/Code/locked`` if another program holds it.
    func take(_ folder: MirrorFolder) throws -> RunHold {
        try holding.withLock { holding in
            if holding.lock == nil { holding.lock = try RunLock(folder) }
            holding.holders += 1
        }
        return Hold(self)
    }

    /// The file is unlocked in here: who takes it next, without having waited, would else find it locked by ourselves.
    private func letGo() {
        holding.withLock { holding in
            holding.holders -= 1
            if holding.holders == 0 { holding.lock = nil }
        }
    }
}
