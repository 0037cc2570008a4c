import ChildProcesses
import Foundation

/// Keeps the machine from going to sleep while something is done, where there is a way to.
///
/// It is a favour, never a need: where it can't be had, nothing is said and the work goes on.
public struct KeepAwake: Sendable {
    /// Ends what was begun.
    public typealias Release = @Sendable () -> Void

    let begin: @Sendable (_ reason: String) -> Release?

    /// - Parameter begin: starts it; `nil` where that isn't possible.
    public init(begin: @escaping @Sendable (_ reason: String) -> Release?) { self.begin = begin }

    /// The system's own way: an activity on macOS, `systemd-inhibit` on Linux where it is there and a session runs.
    public static let system = KeepAwake { reason in
        #if os(macOS)
            // Both calls are safe from any thread, and the token is only handed back.
            nonisolated(unsafe) let activity = ProcessInfo.processInfo.beginActivity(
                options: [.idleSystemSleepDisabled, .suddenTerminationDisabled], reason: reason)
            return { ProcessInfo.processInfo.endActivity(activity) }
        #else
            guard let program = Inhibitor.program(environment: ProcessInfo.processInfo.environment) else {
                return nil
            }
            return Inhibitor.begin(program, reason: reason)
        #endif
    }
}

/// A child process that holds off sleep as long as a pipe to it is open: it ends by itself, however this one ends.
enum Inhibitor {
    /// Where the program is, if it is, and if there is somebody to ask.
    ///
    /// - Parameter exists: whether a file can be run.
    static func program(
        environment: [String: String],
        exists: (String) -> Bool = { FileManager.default.isExecutableFile(atPath: $0) }
    ) -> String? {
        guard let bus = environment["DBUS_SESSION_BUS_ADDRESS"], !bus.isEmpty else { return nil }
        return ["/usr/bin/systemd-inhibit", "/bin/systemd-inhibit"].first(where: exists)
    }

    static func arguments(reason: String) -> [String] {
        // `cat` ends when its input does.
        ["--what=idle:sleep", "--who=mirror", "--why=\(reason)", "--mode=block", "cat"]
    }

    static func begin(_ program: String, reason: String) -> KeepAwake.Release? {
        guard let input = try? ChildPipe(),
            (try? ChildProcess(
                program, arguments(reason: reason), input: .pipe(input), output: .nothing, errors: .nothing))
                != nil
        else { return nil }
        // A handle that is closed already has done its work.
        return { try? input.writing.close() }
    }
}
