import ArgumentParser
import Foundation
import MirrorServer

/// The number of open files and threads that a command needs at the same time.
///
/// They are allocated and released before the work begins. Without this check, a thread or file that is not available later
/// would end the program without a message, or make it wait for ever.
struct ProcessLimits: Equatable {
    var files: Int
    var threads: Int

    /// The needs of a command that only reads: a database's files, a thread for each processor and two for signals.
    static func reading(processors: Int) -> ProcessLimits {
        ProcessLimits(files: 16, threads: processors + 2)
    }

    /// The needs of a sync: files for each connection and for the demo server's side, and the threads of network and server.
    static func working(jobs: Int, processors: Int) -> ProcessLimits {
        ProcessLimits(files: 64 + max(64, 3 * jobs), threads: 16 + 3 * processors)
    }

    /// Checks that the files and threads are available, after raising the limit of open files if needed.
    ///
    /// - Throws: ``CommandError`` with code `limits`; the message contains the limit that is too low.
    func check() throws {
        var granted = ProcessLimits(files: Self.openable(files), threads: Self.startable(threads))
        if granted.files < files {
            OpenFileLimit.raise()
            granted.files = Self.openable(files)
        }
        if let shortage = shortage(granted) { throw CommandError(.limits, shortage) }
    }

    /// The message about a limit that is too low; `nil` if `granted` is enough.
    func shortage(_ granted: ProcessLimits) -> String? {
        if granted.files < files {
            return
                "This process may open only \(granted.files) more files, but needs \(files). Raise the limit of open files (ulimit -n), then run the command again."
        }
        guard granted.threads < threads else { return nil }
        return
            "This process may start only \(granted.threads) more threads, but needs \(threads). Raise the limit of processes (ulimit -u, or the container's limit), or end other programs, then run the command again."
    }

    /// The number of additional files that can be opened; at most `count` are tried.
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

    /// The number of additional threads that can be started; at most `count` are tried.
    static func startable(_ count: Int) -> Int {
        let gate = NSLock()
        gate.lock()
        var started: [pthread_t] = []
        while started.count < count {
            guard let thread = blockedThread(at: gate) else { break }
            started.append(thread)
        }
        gate.unlock()
        for thread in started { pthread_join(thread, nil) }
        return started.count
    }

    /// Starts a thread that ends when it gets the lock; `nil` if no thread can be started.
    private static func blockedThread(at gate: NSLock) -> pthread_t? {
        let context = Unmanaged.passRetained(gate)
        // `pthread_t` is an integer on Linux and a pointer on macOS.
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

/// A command that needs more files and threads than one that only reads.
protocol ResourceIntensiveCommand: ParsableCommand {
    /// The number of connections at the same time.
    var connections: Int { get }
    /// Whether to use batch scheduling: for long work in which no user waits for a single step.
    static var isBatch: Bool { get }
}

extension ResourceIntensiveCommand {
    var connections: Int { 16 }
    static var isBatch: Bool { false }

    /// Checks the system's limits, and sets the scheduling policy.
    func prepareProcess() throws {
        try ProcessLimits.working(
            jobs: connections, processors: ProcessInfo.processInfo.activeProcessorCount
        ).check()
        if Self.isBatch { ProcessStart.beginBatchScheduling() }
    }
}
