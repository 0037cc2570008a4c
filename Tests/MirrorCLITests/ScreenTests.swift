import Synchronization
import Testing

@testable import MirrorCLI

@Suite struct ScreenTests {
    /// What was written, in order.
    private final class Tape: Sendable {
        let texts = Mutex<[String]>([])
        func screen(isTerminal: Bool, rows: Int = 24) -> Screen {
            Screen(isTerminal: isTerminal, hasColour: false, size: { (80, rows) }) { text in
                self.texts.withLock { $0.append(text) }
            }
        }
        var all: [String] { texts.withLock { $0 } }
    }

    @Test func theScreenDrawsItsBlockInPlaceBelowPrintedLines() {
        let tape = Tape(), screen = tape.screen(isTerminal: true)
        screen.draw(["a", "b"])
        screen.draw(["a", "b"])
        screen.line("log")
        screen.clear()
        #expect(tape.all == ["a\nb\n", "\u{1B}[2F\u{1B}[Jlog\na\nb\n", "\u{1B}[2F\u{1B}[J"])
    }

    @Test func withoutATerminalTheScreenPrintsOnlyLines() {
        let tape = Tape(), screen = tape.screen(isTerminal: false)
        screen.draw(["a"])
        screen.line("log")
        screen.clear()
        #expect(tape.all == ["log\n"])
    }

    @Test func theBlockIsNotHigherThanTheScreen() {
        let tape = Tape(), screen = tape.screen(isTerminal: true, rows: 3)
        screen.draw(["a", "b", "c", "d"])
        #expect(tape.all == ["a\nb\n"])
    }

    @Test func aFullDiskIsAnOutputErrorAndAClosedPipeIsNot() throws {
        let full = LineOutput(isImmediate: false) { _ in 28 }
        full.line("x")
        #expect(throws: CommandError.self) { try full.finish() }
        let gone = LineOutput(isImmediate: false) { _ in 32 }
        gone.line("x")
        try gone.finish()
    }
}
