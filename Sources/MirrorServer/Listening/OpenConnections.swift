import Foundation
import NIOCore
import Synchronization

/// Limits the number of open connections of a server.
///
/// Each connection uses a file descriptor. Without free descriptors, the process can't open files or accept connections.
/// At the limit, a new connection replaces the connection that has been idle longest. If none is idle, the new one is closed.
final class OpenConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        /// `nil` while an answer is due or being sent.
        var idleSince: ContinuousClock.Instant?
    }

    private let limit: Int
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.withLock { $0.count } }

    /// Adds a connection. At the limit, closes the longest idle connection, or `channel` if none is idle.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = entries.withLock { entries in
            var longest: (any Channel)?
            if entries.count >= limit {
                let idle = entries.compactMapValues(\.idleSince).min { $0.value < $1.value }
                guard let idle else { return channel }
                longest = entries.removeValue(forKey: idle.key)?.channel
            }
            entries[ObjectIdentifier(channel)] = Entry(channel: channel, idleSince: .now)
            return longest
        }
        surplus?.close(promise: nil)
    }

    /// Removes a closed connection. Idempotent.
    func remove(_ channel: any Channel) {
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Marks a connection as idle or busy. No effect if the connection was removed.
    func set(_ channel: any Channel, isIdle: Bool) {
        entries.withLock { $0[ObjectIdentifier(channel)]?.idleSince = isIdle ? .now : nil }
    }
}

/// The maximum number of open file descriptors of this process, which includes connections.
package struct OpenFileLimit: Sendable, Hashable {
    package let count: Int

    /// File descriptors reserved for databases and the program itself.
    static let reserve = 128
    /// The maximum number of connections. Idle, they use about 50 MB.
    static let maximumConnections = 4_096

    /// The maximum number of connections: each may have one file open beside its own descriptor.
    var connections: Int { min(max((count - Self.reserve) / 2, 16), Self.maximumConnections) }

    /// The current limit.
    package static func current() -> OpenFileLimit {
        // 256 is the lowest default of the supported systems.
        OpenFileLimit(count: read().map { Int(clamping: $0.rlim_cur) } ?? 256)
    }

    /// Raises the limit of this process as far as the system permits. Idempotent; no effect if not permitted.
    package static func raise() {
        guard let limits = read() else { return }
        for count in goals(UInt64(limits.rlim_cur), within: UInt64(limits.rlim_max)) {
            var raised = limits
            raised.rlim_cur = rlim_t(count)
            if setrlimit(resource, &raised) == 0 { return }
        }
    }

    /// The limits to try, in order. macOS may accept no more than 10,240, even if it reports a higher maximum.
    static func goals(_ count: UInt64, within most: UInt64) -> [UInt64] {
        let goals: [UInt64] = [min(65_536, most), min(10_240, most)]
        return (goals[0] == goals[1] ? [goals[0]] : goals).filter { $0 > count }
    }

    private static func read() -> rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
