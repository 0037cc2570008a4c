import MirrorStore
import Synchronization

/// Holds the run lock as long as it lives: a ``RunLock``, or one's part in a ``SharedRunLock``.
package typealias RunHold = any AnyObject & Sendable

/// The run lock of one program that does several things at once: taken by the first, released by the last.
final class SharedRunLock: Sendable {
    private struct Holding {
        var lock: RunLock?
        var holders = 0
    }

    /// One holder's part.
    private final class Hold: Sendable {
        private let shared: SharedRunLock

        init(_ shared: SharedRunLock) { self.shared = shared }

        deinit { shared.release() }
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

    /// The file is unlocked under the mutex: otherwise the next holder would find it locked by this program.
    private func release() {
        holding.withLock { holding in
            holding.holders -= 1
            if holding.holders == 0 { holding.lock = nil }
        }
    }
}
