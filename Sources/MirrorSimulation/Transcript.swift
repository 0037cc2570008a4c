import Synchronization

/// A record of everything that happens in a history, line by line. The same seed gives the same lines.
///
/// Only the lines' fingerprint is kept, unless the lines are wanted.
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

    /// Replaces the path of a folder by "…" in all later lines, as each history has another folder.
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

    /// Returns the kept lines and removes them.
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

/// A short hash of texts (FNV-1a, 64 bits), enough to distinguish a few hundred versions.
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
