import Synchronization

/// What happens in a history, line by line: the same lines from the same seed.
///
/// Only their fingerprint is kept unless the lines are wanted.
package final class Transcript: Sendable {
    private struct State {
        var fingerprint = Fingerprint()
        var count = 0
        var lines: [String] = []
        var folder = ""
    }

    private let keepsLines: Bool
    private let state = Mutex(State())

    package init(keepsLines: Bool = false) { self.keepsLines = keepsLines }

    /// Where the history takes place is called otherwise each time: from now on it is left out.
    func leaveOut(_ folder: String) { state.withLock { $0.folder = folder } }

    package func note(_ line: String) {
        state.withLock { state in
            let line =
                state.folder.isEmpty || !line.contains(state.folder)
                ? line : line.replacing(state.folder, with: "…")
            state.fingerprint.add(line)
            state.count += 1
            if keepsLines { state.lines.append(line) }
        }
    }

    /// Forgets the lines that are kept.
    func takeLines() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    package var lines: [String] { state.withLock { $0.lines } }
    package var count: Int { state.withLock { $0.count } }
    package var fingerprint: UInt64 { state.withLock { $0.fingerprint.value } }
}

/// A short hash (FNV-1a, 64 bits) of texts, for telling versions apart among some hundreds.
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        value = (value ^ 0x0A) &* 0x100_0000_01B3
    }

    static func of(_ text: String) -> UInt64 {
        var print = Fingerprint()
        print.add(text)
        return print.value
    }
}
