import Foundation
import Logging
import Synchronization

/// Standard error: permanent lines, and below them a block that is redrawn in place.
///
/// A new line moves the block down, so that log lines and progress don't overwrite each other. The block is only drawn on a
/// terminal.
final class Screen: Sendable {
    /// Whether a block can be drawn in place.
    let isTerminal: Bool
    /// Whether to use colours: on a terminal without `NO_COLOR` (no-color.org).
    let hasColour: Bool

    private let drawn = Mutex<[String]>([])
    private let write: @Sendable (String) -> Void
    /// The current number of columns and rows; 80 × 24 if it can't be determined.
    let size: @Sendable () -> (columns: Int, rows: Int)

    init(
        isTerminal: Bool, hasColour: Bool, size: @escaping @Sendable () -> (columns: Int, rows: Int),
        write: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.hasColour = hasColour
        self.size = size
        self.write = write
    }

    static func standardError(environment: [String: String] = ProcessInfo.processInfo.environment) -> Screen {
        let terminal = environment["TERM"] ?? ""
        let isTerminal = isatty(STDERR_FILENO) == 1 && !terminal.isEmpty && terminal != "dumb"
        return Screen(
            isTerminal: isTerminal, hasColour: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty,
            size: { Screen.size(of: STDERR_FILENO) },
            // A failure to write to standard error can't be reported anywhere.
            write: { _ = Descriptor.send(Array($0.utf8), to: STDERR_FILENO) })
    }

    /// Prints a permanent line above the block.
    func line(_ text: String) {
        drawn.withLock { drawn in
            write(Self.erase(drawn.count) + text + "\n" + drawn.map { $0 + "\n" }.joined())
        }
    }

    /// Replaces the block. Lines that don't fit on the screen are left out.
    func draw(_ lines: [String]) {
        guard isTerminal else { return }
        let visible = Array(lines.prefix(max(1, size().rows - 1)))
        drawn.withLock { drawn in
            guard visible != drawn else { return }
            write(Self.erase(drawn.count) + visible.map { $0 + "\n" }.joined())
            drawn = visible
        }
    }

    /// Removes the block.
    func clear() { draw([]) }

    /// The sequence that moves to the block's first line and erases everything below (ECMA-48: CPL, ED).
    private static func erase(_ lines: Int) -> String { lines == 0 ? "" : "\u{1B}[\(lines)F\u{1B}[J" }

    private static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// Prints log messages on the screen, above the progress.
struct ScreenLog: LogHandler {
    let screen: Screen
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        screen.line("mirror: \(event.level): \(event.message.description.printable)")
    }
}
