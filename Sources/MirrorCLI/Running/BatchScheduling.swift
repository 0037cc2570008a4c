import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Has the system treat a command as work in the background, of which nobody waits for the single step.
///
/// The threads of a sync hand each other every answer. Where a thread that wakes interrupts the one that woke it, each of
/// them is handed on by itself, and a part of the processors' time goes to changing between them. Under Linux's
/// `SCHED_BATCH` (sched(7)) none of them interrupts another, nor another program's.
enum BatchScheduling {
    /// Begins it, for all threads that there are and for what they start, other programs included; without effect where
    /// there is no such thing.
    static func begin() {
        #if os(Linux)
            var parameter = sched_param()
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            // What somebody chose for this process stays. Refused, as in some containers, it is only slower.
            for thread in threads.compactMap({ pid_t($0) }) where sched_getscheduler(thread) == ordinary {
                sched_setscheduler(thread, batch, &parameter)
            }
        #endif
    }

    #if os(Linux)
        // `SCHED_OTHER` and `SCHED_BATCH`, which are macros that aren't imported.
        private static let ordinary: Int32 = 0
        private static let batch: Int32 = 3
    #endif
}

/// A command that works through a great deal.
protocol BatchWork {}

extension SyncCommand: BatchWork {}
extension WatchCommand: BatchWork {}
extension ImportCommand: BatchWork {}
