import Synchronization
import Testing

@testable import MirrorCLI

@Suite struct ScreenTests {
    /// Records the written texts in order.
    private final class Recorder: Sendable {
        let texts = Mutex<[String]>([])
        func screen(isTerminal: Bool, rows: Int = 24) -> Screen {
            Screen(isTerminal: isTerminal, hasColour: false, size: { (80, rows) }) { text in
                self.texts.withLock { $0.append(text) }
            }
        }
        var all: [String] { texts.withLock { $0 } }
    }

    @Test func theScreenDrawsItsBlockInPlaceBelowPrintedLines() {
        let recorder = Recorder(), screen = recorder.screen(isTerminal: true)
        screen.draw(["a", "b"])
        screen.draw(["a", "b"])
        screen.line("log")
        screen.clear()
        #expect(recorder.all == ["a\nb\n", "\u{1B}[2F\u{1B}[Jlog\na\nb\n", "\u{1B}[2F\u{1B}[J"])
    }

    @Test func withoutATerminalTheScreenPrintsOnlyLines() {
        let recorder = Recorder(), screen = recorder.screen(isTerminal: false)
        screen.draw(["a"])
        screen.line("log")
        screen.clear()
        #expect(recorder.all == ["log\n"])
    }

    @Test func theBlockIsNotHigherThanTheScreen() {
        let recorder = Recorder(), screen = recorder.screen(isTerminal: true, rows: 3)
        screen.draw(["a", "b", "c", "d"])
        #expect(recorder.all == ["a\nb\n"])
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
