import CCurl
import Foundation
import Synchronization

/// What callers hand to the loop's thread, which starts with the first message.
final class CurlInbox: Sendable {
    enum Message: Sendable {
        case send(SendTicket)
        case cancel(SendTicket)
        case resume(SendTicket)
    }

    /// `@unchecked Sendable` because libcurl lets any thread wake a multi handle; all else is done by the loop's thread.
    private struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
    }

    private struct State {
        var messages: [Message] = []
        /// `nil` while no loop waits on it; it is woken under the lock, so that it can't be freed meanwhile.
        var multi: Multi?
        var isStopped = false
        var hasThread = false
        var whenEnded: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: CurlTransport.Configuration
    private let state = Mutex(State())

    init(_ configuration: CurlTransport.Configuration) {
        self.configuration = configuration
    }

    /// - Returns: `false` after ``stop()``: the message is lost.
    @discardableResult
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.messages.append(message)
            if let multi = state.multi { curl_multi_wakeup(multi.handle) }
            if !state.hasThread { startThread() }
            state.hasThread = true
            return true
        }
    }

    /// Tells the thread to end; what is under way fails.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let multi = state.multi { curl_multi_wakeup(multi.handle) }
        }
    }

    /// Takes what has come in, and whether the loop must end.
    func take() -> (messages: [Message], mustEnd: Bool) {
        state.withLock { state in
            defer { state.messages = [] }
            return (state.messages, state.isStopped)
        }
    }

    /// Has posted messages wake a multi handle from now on; `nil` before it is freed.
    func wakes(_ multi: UnsafeMutableRawPointer?) {
        let multi = multi.map(Multi.init)
        state.withLock { $0.multi = multi }
    }

    /// Waits until the thread has ended; at once without one.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.hasThread { state.whenEnded.append(continuation) }
                return !state.hasThread
            }
            if isOver { continuation.resume() }
        }
    }

    private func startThread() {
        let thread = Thread { [self] in
            if let loop = CurlLoop(configuration, inbox: self) {
                loop.run()
            } else {
                stop()
                for case .send(let ticket) in take().messages {
                    ticket.finish(.failure(CurlTransport.outOfMemory))
                }
            }
            let waiting = state.withLock { state in
                state.hasThread = false
                defer { state.whenEnded = [] }
                return state.whenEnded
            }
            for continuation in waiting { continuation.resume() }
        }
        thread.name = "mirror.curl"
        thread.stackSize = 1 << 20
        thread.start()
    }
}
