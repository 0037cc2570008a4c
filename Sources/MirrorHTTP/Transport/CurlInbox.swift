import CCurl
import Synchronization

/// What callers hand to the loop's thread; woken only if it sleeps.
final class CurlInbox: Sendable {
    enum Message: Sendable {
        case send(SendTicket)
        case cancel(SendTicket)
        case resume(SendTicket)
    }

    private struct State {
        var messages: [Message] = []
        /// The multi handle's address while the thread sleeps in it, or is about to.
        var sleeper: UInt?
        var isStopped = false
        var hasThread = false
        var whenEnded: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    enum Posting { case posted, postedFirst, refused }

    /// `postedFirst` asks the caller to start the thread.
    func post(_ message: Message) -> Posting {
        state.withLock { state in
            guard !state.isStopped else { return .refused }
            state.messages.append(message)
            wake(&state)
            if state.hasThread { return .posted }
            state.hasThread = true
            return .postedFirst
        }
    }

    /// Tells the thread to end; what is under way fails.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            wake(&state)
        }
    }

    /// Takes what has come in, and whether the loop must end.
    func take(into messages: inout [Message]) -> Bool {
        messages.removeAll(keepingCapacity: true)
        return state.withLock { state in
            state.sleeper = nil
            swap(&state.messages, &messages)
            return state.isStopped
        }
    }

    /// Whether the thread may go to sleep: nothing has come in since it looked.
    func sleeps(on multi: UnsafeMutableRawPointer) -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, !state.isStopped else { return false }
            state.sleeper = UInt(bitPattern: multi)
            return true
        }
    }

    /// Fails whatever was posted; for a thread that could not begin its work.
    func refuseAll(_ error: any Error) {
        stop()
        var messages: [Message] = []
        _ = take(into: &messages)
        for case .send(let ticket) in messages { ticket.finish(.failure(error)) }
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

    /// The thread's last words.
    func threadEnded() {
        let waiting = state.withLock { state in
            state.hasThread = false
            defer { state.whenEnded = [] }
            return state.whenEnded
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Under the lock, so that the multi handle can't be freed meanwhile; writes one byte and never blocks.
    private func wake(_ state: inout State) {
        guard let sleeper = state.sleeper else { return }
        state.sleeper = nil
        curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: sleeper))
    }
}
