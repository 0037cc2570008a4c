import ArgumentParser
import Foundation
import MirrorServer

/// What a command needs of the system at once. It is tried at the start, and released: a thread or file that isn't available
/// in the middle of the work ends the program without a message, or makes it wait for ever.
struct ProcessLimits: Equatable {
    var files: Int
    var threads: Int

    /// For a command that only looks something up: a database's files, a thread for each processor and two for signals.
    static func reading(processors: Int) -> ProcessLimits {
        ProcessLimits(files: 16, threads: processors + 2)
    }

    /// For a sync: each connection with its file and the server's side, and all threads for networking and serving.
    static func working(jobs: Int, processors: Int) -> ProcessLimits {
        ProcessLimits(files: 64 + max(64, 3 * jobs), threads: 16 + 3 * processors)
    }

    /// Tries to have all of it at the same time, after raising the limit of open files if needed.
    ///
    /// - Throws: ``CommandError`` that says which limit is too low.
    func check() throws {
        if OpenFileLimit.current().count < files { OpenFileLimit.raise() }
        let had = ProcessLimits(files: Self.openable(files), threads: Self.startable(threads))
        if let shortage = shortage(had) { throw CommandError(.limits, shortage) }
    }

    /// - Parameter had: what the system granted.
    func shortage(_ had: ProcessLimits) -> String? {
        if had.files < files {
            return
                "This process may open only \(had.files) more files, and needs \(files). Raise the limit of open files (ulimit -n), then run the command again."
        }
        guard had.threads < threads else { return nil }
        return
            "This process may begin only \(had.threads) more threads, and needs \(threads). Raise the limit of processes (ulimit -u, or that of the container), or end other programs, then run the command again."
    }

    /// The number of files that can be opened beside those that are open; no more than `count` are tried.
    static func openable(_ count: Int) -> Int {
        var opened: [Int32] = []
        while opened.count < count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { break }
            opened.append(descriptor)
        }
        for descriptor in opened { close(descriptor) }
        return opened.count
    }

    /// The number of threads that can be started beside those that run; no more than `count` are tried.
    static func startable(_ count: Int) -> Int {
        let gate = NSLock()
        gate.lock()
        var started: [pthread_t] = []
        while started.count < count {
            guard let thread = waiting(at: gate) else { break }
            started.append(thread)
        }
        gate.unlock()
        for thread in started { pthread_join(thread, nil) }
        return started.count
    }

    /// A thread that ends once it gets through the gate; `nil` if no more can be started.
    private static func waiting(at gate: NSLock) -> pthread_t? {
        let context = Unmanaged.passRetained(gate)
        // A number under Linux, an optional pointer on macOS.
        var thread = pthread_t(bitPattern: 0)
        let result = pthread_create(
            &thread, nil,
            { gate in
                let gate: UnsafeMutableRawPointer? = gate
                if let gate { Unmanaged<NSLock>.fromOpaque(gate).takeRetainedValue().withLock {} }
                return nil
            }, context.toOpaque())
        if result == 0 { return thread }
        context.release()
        return nil
    }
}

/// A command that needs more than one that only looks something up.
protocol HeavyWork: ParsableCommand {
    /// Requests at once.
    var requestsAtOnce: Int { get }
    /// Whether it works through a great deal, and no single step is waited for.
    static var isBatch: Bool { get }
}

extension HeavyWork {
    var requestsAtOnce: Int { 16 }
    static var isBatch: Bool { false }

    /// Checks the system's limits, and has the command scheduled as what it is.
    func prepareProcess() throws {
        try ProcessLimits.working(
            jobs: requestsAtOnce, processors: ProcessInfo.processInfo.activeProcessorCount
        ).check()
        if Self.isBatch { ProcessStart.beginBatchScheduling() }
    }
}
