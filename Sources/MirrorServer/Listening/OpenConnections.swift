import Foundation
import NIOCore
import Synchronization

/// The open connections of a server, never more than a limit.
///
/// Each takes a file descriptor, and when these run out no file can be opened and no connection accepted. A connection beyond
/// the limit takes the place of the one that has been idle longest; if none is idle, the new one is closed.
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

    /// Closes another connection, or this one, if there are too many.
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

    /// Idempotent.
    func remove(_ channel: any Channel) {
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// No effect on a connection that had to make room already.
    func set(_ channel: any Channel, isIdle: Bool) {
        entries.withLock { $0[ObjectIdentifier(channel)]?.idleSince = isIdle ? .now : nil }
    }
}

/// How many files this process may have open at a time; a connection is one, too.
package struct OpenFileLimit: Sendable, Hashable {
    package let count: Int

    /// What databases, and the program itself, may have open.
    static let reserve = 128
    /// More connections than any clients need; idle, they take some 50 MB.
    static let mostConnections = 4_096

    /// As many connections as leave enough for the file that may be open for each of them, and for the rest.
    var connections: Int { min(max((count - Self.reserve) / 2, 16), Self.mostConnections) }

    /// As it is now.
    package static func current() -> OpenFileLimit {
        // No system that this runs on begins with fewer.
        OpenFileLimit(count: read().map { Int(clamping: $0.rlim_cur) } ?? 256)
    }

    /// Raises it as far as the system lets it, for the whole process. Idempotent; where the system doesn't let it, it stays.
    package static func raise() {
        guard let limits = read() else { return }
        for count in goals(UInt64(limits.rlim_cur), within: UInt64(limits.rlim_max)) {
            var raised = limits
            raised.rlim_cur = rlim_t(count)
            if setrlimit(resource, &raised) == 0 { return }
        }
    }

    /// What to raise it to: the first that the system takes. macOS may take no more than 10,240, whatever it says.
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
