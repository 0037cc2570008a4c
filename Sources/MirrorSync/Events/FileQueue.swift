import Catalogue
import MirrorStore
import Synchronization

/// Objects whose pictures or documents are still to be fetched, each once, the oldest first; bounded.
final class FileQueue: Sendable {
    private struct State {
        var waiting: [Owner] = []
        var known: Set<Owner> = []
        var hasOverflown = false
        /// What failed, and when the first of it did.
        var putOff: [Owner] = []
        var putOffAt: Duration = .zero
        var downloads = SharedDownloads()
    }

    /// What failed is tried again after this time.
    static let pause: Duration = .seconds(300)
    /// Beyond this, the next sync finds what is missing.
    static let most = 10_000
    private let isWanted: Bool
    private let state = Mutex(State())

    /// - Parameter isWanted: whether files are fetched at all: otherwise nothing ever waits.
    init(isWanted: Bool) { self.isWanted = isWanted }

    func add(_ owners: [Owner]) {
        guard isWanted else { return }
        state.withLock { state in
            for owner in owners where owner.kind.hasFiles && !state.known.contains(owner) {
                guard state.waiting.count < Self.most else {
                    state.hasOverflown = true
                    return
                }
                state.known.insert(owner)
                state.waiting.append(owner)
            }
        }
    }

    /// The addresses that were requested for the last page: those of its objects are requested once, in however many parts
    /// they are taken.
    var downloads: SharedDownloads { state.withLock { $0.downloads } }

    /// Called before objects of a page or of a refresh are added: what was requested before may be another by now.
    func startOver() { state.withLock { $0.downloads = SharedDownloads() } }

    func take(_ count: Int) -> [Owner] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            state.known.subtract(taken)
            return taken
        }
    }

    /// Keeps objects whose files could not be fetched for later.
    func putOff(_ owners: [Owner], at time: Duration) {
        state.withLock { state in
            if state.putOff.isEmpty { state.putOffAt = time }
            state.putOff += owners.prefix(max(0, Self.most - state.putOff.count))
        }
    }

    /// Puts what failed a while ago back into the queue; returns whether there was any.
    func bringBack(at time: Duration) -> Bool {
        let owners = state.withLock { state -> [Owner] in
            guard !state.putOff.isEmpty, time - state.putOffAt >= Self.pause else { return [] }
            defer { state.putOff = [] }
            return state.putOff
        }
        guard !owners.isEmpty else { return false }
        startOver()
        add(owners)
        return true
    }

    var count: Int { state.withLock { $0.waiting.count } }

    /// Whether something had to be left to the next sync since this was last asked.
    func takeOverflow() -> Bool {
        state.withLock { state in
            defer { state.hasOverflown = false }
            return state.hasOverflown
        }
    }
}
