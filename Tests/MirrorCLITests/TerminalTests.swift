import Foundation
import MirrorTesting
import Testing

@testable import MirrorCLI

/// Runs the built binary in a pseudo-terminal and reads the screen.
@Suite(.serialized)
struct TerminalTests {
    /// Runs a test on its own thread, because reading a terminal blocks.
    private func withHome(_ body: @escaping @Sendable (String) throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "mirror-tty-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: home) }
        try await OffloadedThread.run { try body(home) }
    }

    /// The rows of the progress block: name, bar, counts.
    private static func bars(_ screen: TerminalScreen) -> [String] {
        screen.lines.filter { $0.contains("━") || $0.contains("─") }
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aSyncInATerminalDrawsItsProgressInPlaceAndEndsCleanlyOnCtrlC() async throws {
        try await withHome { home in
            let terminal = try PseudoTerminal(BuiltProgram.path, ["sync", "demo", "--home", home])
            try terminal.wait("A bar of the artworks") { Self.bars($0).contains { $0.hasPrefix("artworks") } }
            let drawn = terminal.screen.redraws
            func blocks(_ screen: TerminalScreen) -> Int {
                Self.bars(screen).filter { $0.hasPrefix("artworks") }.count
            }
            // Between erasing and drawing, the screen has no block for a moment. It never has two.
            try terminal.wait("A second block in the place of the first") { screen in
                #expect(blocks(screen) <= 1)
                return screen.redraws >= drawn + 2 && blocks(screen) == 1
            }
            #expect(terminal.screen.lines.allSatisfy { $0.count < 80 })
            terminal.press("\u{03}")
            #expect(try terminal.end() == 130)
            let screen = terminal.screen
            #expect(Self.bars(screen).isEmpty, "the block went away")
            #expect(screen.lines.contains("demo: the run was interrupted."), "\(screen.lines)")
            #expect(screen.lines.contains { $0.hasPrefix("mirror: stopping; finished work is kept.") })
            #expect(screen.lines.contains { $0.contains("artworks") }, "the summary says what was done")

            // The next run continues from the last commit, and ends with its summary.
            let next = try PseudoTerminal(BuiltProgram.path, ["sync", "demo", "--no-media", "--home", home])
            #expect(try next.end() == 0)
            let lines = next.screen.lines
            #expect(lines.contains { $0.hasPrefix("demo is up to date") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("  artworks") && $0.contains("41") })
            // A long path continues in the next line.
            #expect(lines.joined().contains("The files are in \(home)/demo"), "\(lines)")
            #expect(Self.bars(next.screen).isEmpty)
        }
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aTokenCommandCanAskOnTheTerminal() async throws {
        try await withHome { home in
            let ask = #"printf 'Which? ' >/dev/tty; read -r answer </dev/tty; echo "$answer""#
            let terminal = try PseudoTerminal(
                BuiltProgram.path,
                [
                    "login", "museum", "--from", "http://127.0.0.1:9", "--token-command", ask, "--home", home,
                ])
            try terminal.wait("The question") { $0.lines.contains { $0.hasPrefix("Which?") } }
            terminal.press("sesame\r")
            #expect(try terminal.end() == 0)
            let kept = try String(contentsOfFile: "\(home)/museum/credentials", encoding: .utf8)
            #expect(kept.contains("sesame"))
        }
    }

    @Test func theSimulatedScreenShowsWhatATerminalShows() {
        var screen = TerminalScreen(columns: 10, rows: 3)
        screen.feed(Array("a\r\nb\r\n".utf8))
        screen.feed(Array("\u{1B}[2F\u{1B}[Jx\u{1B}[32m━".utf8.dropLast()))
        screen.feed([Array("━".utf8)[2]])
        #expect(screen.lines == ["x━"] && screen.redraws == 1)
        screen.feed(Array("\r\n1\r\n2\r\n3".utf8))
        #expect(screen.lines == ["1", "2", "3"] && screen.scrolledAway == ["x━"])
    }
}
