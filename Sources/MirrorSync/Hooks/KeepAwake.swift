import ChildProcesses
import Foundation

/// Prevents the machine from going to sleep during a run, if the system supports that.
///
/// If it doesn't, the run goes on without it, and nothing is reported.
public struct KeepAwake: Sendable {
    /// Allows the machine to sleep again.
    public typealias Release = @Sendable () -> Void

    let begin: @Sendable (_ reason: String) -> Release?

    /// - Parameter begin: prevents sleep, for the reason that the system may show; returns `nil` if that isn't possible.
    public init(begin: @escaping @Sendable (_ reason: String) -> Release?) { self.begin = begin }

    /// Uses a process activity on macOS. On Linux it uses `systemd-inhibit`, if that is installed and a session bus exists.
    public static let system = KeepAwake { reason in
        #if os(macOS)
            // Both calls are safe from any thread, and the token is only passed back.
            nonisolated(unsafe) let activity = ProcessInfo.processInfo.beginActivity(
                options: [.idleSystemSleepDisabled, .suddenTerminationDisabled], reason: reason)
            return { ProcessInfo.processInfo.endActivity(activity) }
        #else
            guard let program = SleepInhibitor.program(environment: ProcessInfo.processInfo.environment)
            else { return nil }
            return SleepInhibitor.begin(program, reason: reason)
        #endif
    }
}

/// A child process that prevents sleep as long as a pipe to it is open. It also ends if this process crashes.
enum SleepInhibitor {
    /// The path of `systemd-inhibit`; `nil` if it isn't installed, or if there is no session bus.
    ///
    /// - Parameters:
    ///   - environment: this process's environment variables.
    ///   - exists: whether a path is an executable file.
    static func program(
        environment: [String: String],
        exists: (String) -> Bool = { FileManager.default.isExecutableFile(atPath: $0) }
    ) -> String? {
        guard let bus = environment["DBUS_SESSION_BUS_ADDRESS"], !bus.isEmpty else { return nil }
        return ["/usr/bin/systemd-inhibit", "/bin/systemd-inhibit"].first(where: exists)
    }

    static func arguments(reason: String) -> [String] {
        // `cat` ends when its input is closed, and systemd-inhibit with it.
        ["--what=idle:sleep", "--who=mirror", "--why=\(reason)", "--mode=block", "cat"]
    }

    static func begin(_ program: String, reason: String) -> KeepAwake.Release? {
        guard let input = try? ChildPipe(),
            (try? ChildProcess(
                program, arguments(reason: reason), input: .pipe(input), output: .nothing, errors: .nothing))
                != nil
        else { return nil }
        // The error is ignored: a second call finds the handle closed.
        return { try? input.writing.close() }
    }
}
