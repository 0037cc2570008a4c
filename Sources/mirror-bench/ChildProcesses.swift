import Foundation
import Synchronization

/// Processes that are started, measured and, whatever happens, stopped: each by its own id.
final class ChildProcesses: Sendable {
    private let running = Mutex<Set<pid_t>>([])
    private static let endings = [SIGINT, SIGTERM, SIGHUP]

    struct End {
        /// As a shell has it: 128 and the signal's number for one that a signal ended.
        let status: Int32
        let seconds: Double
        let cpu: Double
        /// MiB.
        let peak: Double
    }

    struct Failure: Error { let sentence: String }

    /// - Parameters:
    ///   - output: the file that takes standard output and errors.
    ///   - program: a path, or a name that is looked for in `PATH`.
    func start(_ program: String, _ arguments: [String], output: String) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        // What is ignored here, so as to be handled, would be ignored there, too.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in Self.endings + [SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, output + ".errors", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var texts: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        return try running.withLock { running in
            var id: pid_t = 0
            let failed = posix_spawnp(&id, program, &actions, &attributes, &texts, environ)
            guard failed == 0 else {
                throw Failure(sentence: "\(program) can't be started: \(String(cString: strerror(failed))).")
            }
            running.insert(id)
            return id
        }
    }

    /// Waits for one that was started just now.
    func wait(_ id: pid_t, since start: ContinuousClock.Instant) -> End {
        var information = siginfo_t()
        // It keeps its id until it is taken out below, so that nobody else is ever signalled.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        var status: Int32 = 0
        var usage = rusage()
        running.withLock { running in
            while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
            running.remove(id)
        }
        let signal = status & 0x7F
        #if canImport(Darwin)
            let peak = Double(usage.ru_maxrss) / 1_048_576
        #else
            let peak = Double(usage.ru_maxrss) / 1_024
        #endif
        return End(
            status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, seconds: seconds,
            cpu: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime), peak: peak)
    }

    func run(_ program: String, _ arguments: [String], output: String) throws -> End {
        let start = ContinuousClock.now
        return wait(try self.start(program, arguments, output: output), since: start)
    }

    /// Asks it to end, and kills it if it hasn't after ten seconds.
    func stop(_ id: pid_t) {
        signal(id, SIGTERM)
        let late = DispatchWorkItem { [self] in signal(id, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: late)
        _ = wait(id, since: .now)
        late.cancel()
    }

    func killAll() {
        running.withLock { for id in $0 { kill(id, SIGKILL) } }
    }

    private func signal(_ id: pid_t, _ number: Int32) {
        running.withLock { if $0.contains(id) { kill(id, number) } }
    }

    /// When this process is told to end, so are all of them.
    ///
    /// - Parameter cleanup: what else is to be done before it ends.
    /// - Returns: what has to be kept for as long as that holds.
    func endWithThis(_ cleanup: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        Self.endings.map { number in
            Foundation.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                killAll()
                cleanup()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
