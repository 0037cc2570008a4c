import ArgumentParser
import Foundation
import MirrorServer

/// What a command needs of the system at a time. It is tried at the start, and given back: a thread or a file that can't be
/// had in the middle of the work ends the program without a word, or has it wait for ever.
struct ProcessLimits: Equatable {
    var files: Int
    var threads: Int

    /// A command that only looks something up: files of a database, and a thread for each processor and a few for signals.
    static func reading(processors: Int) -> ProcessLimits {
        ProcessLimits(files: 16, threads: processors + 2)
    }

    /// A sync with its connections, the file and the server's side of each, and all threads of networking and serving.
    static func working(jobs: Int, processors: Int) -> ProcessLimits {
        ProcessLimits(files: 64 + max(64, 3 * jobs), threads: 16 + 3 * processors)
    }

    /// Tries to have all of it at the same time, with the limit of open files raised as far as it can be.
    ///
    /// - Throws: ``CommandError`` that says which limit is too low.
    func check() throws {
        if OpenFileLimit.current().count < files { OpenFileLimit.raise() }
        let had = ProcessLimits(files: Self.openable(files), threads: Self.startable(threads))
        if let shortage = shortage(had) { throw CommandError(.limits, shortage) }
    }

    /// - Parameter had: what could be had of it.
    func shortage(_ had: ProcessLimits) -> String? {
        if had.files < files {
            return
                "This process may open only \(had.files) more files, and needs \(files). Raise the limit of open files (ulimit -n), then run the command again."
        }
        guard had.threads < threads else { return nil }
        return
            "This process may begin only \(had.threads) more threads, and needs \(threads). Raise the limit of processes (ulimit -u, or that of the container), or end other programs, then run the command again."
    }

    /// How many files can be open beside those that are; no more than `count` are tried.
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

    /// How many threads can run beside those that do; no more than `count` are tried.
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

    /// A thread that ends once it gets through the gate; `nil` if there can't be one more.
    private static func waiting(at gate: NSLock) -> pthread_t? {
        let context = Unmanaged.passRetained(gate)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, ProcessLimits.pass, context.toOpaque())
        guard code == 0 else {
            context.release()
            return nil
        }
        return thread
    }
}

#if canImport(Darwin)
    extension ProcessLimits {
        fileprivate static let pass: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
            let gate = Unmanaged<NSLock>.fromOpaque($0).takeRetainedValue()
            gate.withLock {}
            return nil
        }
    }
#else
    extension ProcessLimits {
        fileprivate static let pass: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            if let context = $0 { Unmanaged<NSLock>.fromOpaque(context).takeRetainedValue().withLock {} }
            return nil
        }
    }
#endif

/// A command that needs more than one that only looks something up.
protocol HeavyWork: ParsableCommand {
    /// Requests at once.
    var requestsAtOnce: Int { get }
}

extension HeavyWork {
    var requestsAtOnce: Int { 16 }

    func checkLimits() throws {
        try ProcessLimits.working(
            jobs: requestsAtOnce, processors: ProcessInfo.processInfo.activeProcessorCount
        ).check()
    }
}

extension SyncCommand: HeavyWork { var requestsAtOnce: Int { choices.jobs } }
extension WatchCommand: HeavyWork { var requestsAtOnce: Int { choices.jobs } }
extension VerifyCommand: HeavyWork {}
extension ImportCommand: HeavyWork {}
extension ServeCommand: HeavyWork {}
