import ChildProcesses
import Foundation
import MirrorTesting

/// Runs a program in a pseudo-terminal, reads its screen and sends keys.
final class PseudoTerminal {
    private let master: Int32
    private let process: ChildProcess
    private(set) var screen: TerminalScreen

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the program as the leader of a session with this controlling terminal. So Ctrl-C sends it a signal.
    init(_ program: String, _ arguments: [String], columns: Int = 80, rows: Int = 24) throws {
        screen = TerminalScreen(columns: columns, rows: rows)
        let terminal: String
        (master, terminal) = try Self.open()
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        var environment = BuiltProgram.environment
        (environment["TERM"], environment["NO_COLOR"]) = ("xterm", nil)
        process = try ChildProcess(
            program, arguments, environment: environment, input: .file(terminal), output: .file(terminal),
            errors: .file(terminal), group: .session)
    }

    deinit {
        // The program has already ended, unless a test failed.
        process.send(SIGKILL)
        close(master)
    }

    /// Opens a pseudo-terminal.
    ///
    /// - Returns: The open master side, and the path of the terminal.
    private static func open() throws -> (master: Int32, terminal: String) {
        #if canImport(Darwin)
            let master = posix_openpt(O_RDWR | O_NOCTTY)
            if master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) {
                return (master, String(cString: name))
            }
        #else
            // Swift can't import posix_openpt, unlockpt and ptsname on Linux. These calls do the same.
            let unlock: UInt = 0x4004_5431, number: UInt = 0x8004_5430
            let master = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var isLocked: Int32 = 0, index: UInt32 = 0
            if master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &index) == 0 {
                return (master, "/dev/pts/\(index)")
            }
        #endif
        throw Failure(description: "No pseudo-terminal could be opened.")
    }

    func press(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Reads until the screen fulfils a condition.
    ///
    /// - Parameters:
    ///   - description: What the test waits for, for the error message.
    ///   - seconds: The time after which an error is thrown.
    func wait(_ description: String, seconds: Double = 20, until condition: (TerminalScreen) -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !condition(screen) {
            guard try read(until: deadline) else {
                throw Failure(
                    description: "\(description) did not appear:\n\(screen.lines.joined(separator: "\n"))")
            }
        }
    }

    /// Reads until the program has ended.
    ///
    /// - Returns: The exit code, or 128 plus the number of the signal that ended the program.
    func end(seconds: Double = 20) throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try read(until: deadline) {}
        guard ContinuousClock.now < deadline else {
            throw Failure(description: "The program did not end:\n\(screen.lines.joined(separator: "\n"))")
        }
        return process.wait().status
    }

    /// Reads the next bytes to the screen.
    ///
    /// - Returns: `false` at the end of the output or the deadline.
    private func read(until deadline: ContinuousClock.Instant) throws -> Bool {
        let left = (deadline - ContinuousClock.now) / .milliseconds(1)
        guard left > 0 else { return false }
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, Int32(left) + 1) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = Foundation.read(master, &buffer, buffer.count)
        // The terminal hangs up when the program's last descriptor is closed.
        guard count > 0 else { return false }
        screen.feed(buffer.prefix(count))
        return true
    }
}
