import MirrorHTTP
import Synchronization

/// Holds what came of a snapshot and was not taken in yet: little, as the transfer waits while there is enough.
final class SnapshotInbox: PausableSink {
    private struct State: Sendable {
        var head: TransportResponse?
        var bytes: [UInt8] = []
        var isOver = false
        var failure: (any Error)?
        var reader: CheckedContinuation<Void, Never>?
        var isWoken = false
        var resume: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private static let capacity = 1 << 20

    /// The answer's head; there before anything else is.
    var head: TransportResponse? { state.withLock { $0.head } }

    func begin(_ response: TransportResponse) throws { state.withLock { $0.head = response } }

    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.bytes.count >= Self.capacity else { return true }
            state.resume = resume
            return false
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        let reader = state.withLock { state in
            state.bytes.append(contentsOf: bytes)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Nothing more comes; with a failure if that is why.
    func end(_ failure: (any Error)?) {
        let reader = state.withLock { state in
            state.isOver = true
            state.failure = failure
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Whether there is something to be told at once.
    var hasNews: Bool { state.withLock { !$0.bytes.isEmpty || $0.isOver } }

    /// Has the reader, who waits or is about to, go on with nothing.
    func wake() {
        let reader = state.withLock { state in
            state.isWoken = true
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Everything that came since the last call, of which there is some unless it was woken; `nil` behind the last byte.
    ///
    /// For one reader.
    ///
    /// - Throws: what ended the transfer, when everything that came before was handed out.
    func next() async throws -> [UInt8]? {
        while true {
            let (bytes, resume, isOver, failure, isWoken) = state.withLock { state in
                let bytes = state.bytes, isWoken = state.isWoken
                (state.bytes, state.isWoken) = ([], false)
                return (bytes, state.resume.take(), state.isOver, state.failure, isWoken)
            }
            resume?()
            if !bytes.isEmpty { return bytes }
            if let failure { throw failure }
            if isOver { return nil }
            if isWoken { return [] }
            await withCheckedContinuation { continuation in
                let isNews = state.withLock { state in
                    guard state.bytes.isEmpty, !state.isOver, !state.isWoken else { return true }
                    state.reader = continuation
                    return false
                }
                if isNews { continuation.resume() }
            }
        }
    }
}
