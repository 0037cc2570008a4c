import Catalogue
import Foundation
import Synchronization

/// Buffers lines of results and writes them to standard output. Any task may add lines.
final class LineOutput: Sendable {
    /// Writes all of the bytes. Returns an `errno` if that fails.
    typealias Sink = @Sendable ([UInt8]) -> Int32?

    private struct State: Sendable {
        var buffer: [UInt8] = []
        var failure: Int32?
    }

    private let state = Mutex(State())
    private let sink: Sink
    /// Whether each line is written immediately, for a terminal.
    private let isImmediate: Bool

    init(isImmediate: Bool, sink: @escaping Sink) {
        self.isImmediate = isImmediate
        self.sink = sink
    }

    static func standard() -> LineOutput {
        LineOutput(isImmediate: isatty(STDOUT_FILENO) == 1) { Descriptor.send($0, to: STDOUT_FILENO) }
    }

    /// Adds a line. The caller passes text from a server through ``Swift/String/printable``.
    func line(_ text: String) {
        state.withLock { state in
            guard state.failure == nil else { return }
            state.buffer.append(contentsOf: text.utf8)
            state.buffer.append(UInt8(ascii: "\n"))
            if isImmediate || state.buffer.count >= 16_384 { write(&state) }
        }
    }

    func flush() { state.withLock { write(&$0) } }

    /// Writes the buffered lines.
    ///
    /// - Throws: ``CommandError`` if the output couldn't be written. A closed pipe (`| head`) is no error.
    func finish() throws {
        flush()
        guard let failure = state.withLock({ $0.failure }), failure != EPIPE else { return }
        throw CommandError(
            .output,
            "The results could not be written: \(String(cString: strerror(failure))). Redirect them to another place."
        )
    }

    private func write(_ state: inout State) {
        guard state.failure == nil, !state.buffer.isEmpty else { return }
        state.failure = sink(state.buffer)
        state.buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes to a file descriptor.
enum Descriptor {
    /// Writes all bytes.
    ///
    /// - Returns: an `errno` if not all bytes could be written.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var rest = UnsafeRawBufferPointer(buffer)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = write(descriptor, start, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return nil
        }
    }
}

extension JSONObject {
    /// An object of the members that are not `nil`.
    init(known members: KeyValuePairs<String, JSONValue?>) {
        self.init(members.compactMap { member in member.value.map { (member.key, $0) } })
    }
}

extension JSONValue {
    /// A string, or `null` for `nil`.
    static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
