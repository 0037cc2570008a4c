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
        /// What wakes the thread while it sleeps, or is about to.
        var sleeper: WakePipe?
        var isStopped = false
        var hasThread = false
        var whenEnded: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    enum Posting { case posted, postedFirst, refused }

    /// `postedFirst` asks the caller to start the thread.
    func post(_ message: Message) -> Posting {
        let (posting, sleeper) = state.withLock { state -> (Posting, WakePipe?) in
            guard !state.isStopped else { return (.refused, nil) }
            state.messages.append(message)
            let sleeper = state.sleeper.take()
            if state.hasThread { return (.posted, sleeper) }
            state.hasThread = true
            return (.postedFirst, sleeper)
        }
        // Not under the lock, for which the thread would only wait then.
        sleeper?.wake()
        return posting
    }

    /// Tells the thread to end; what is under way fails.
    func stop() {
        let sleeper = state.withLock { state in
            state.isStopped = true
            return state.sleeper.take()
        }
        sleeper?.wake()
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
    func sleeps(on pipe: WakePipe) -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, !state.isStopped else { return false }
            state.sleeper = pipe
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
}
