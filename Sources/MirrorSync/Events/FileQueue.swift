import Catalogue
import MirrorStore
import Synchronization

/// Objects that failed, kept for another try after a pause.
struct Postponed: Sendable {
    static let pause: Duration = .seconds(300)
    private var objects: [Owner] = []
    /// When the first of them failed.
    private var since: Duration = .zero

    /// Keeps as many as there is room for.
    mutating func add(_ failed: [Owner], at time: Duration, most: Int) {
        if objects.isEmpty { since = time }
        objects += failed.prefix(max(0, most - objects.count))
    }

    /// What failed a while ago; forgotten here.
    mutating func takeDue(at time: Duration) -> [Owner] {
        guard time - since >= Self.pause else { return [] }
        defer { objects = [] }
        return objects
    }
}

/// Objects whose pictures or documents are still to be fetched, each once, the oldest first; bounded.
final class FileQueue: Sendable {
    private struct State {
        var waiting: [Owner] = []
        var known: Set<Owner> = []
        var hasOverflown = false
        var failed = Postponed()
        var downloads = SharedDownloads()
    }

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
        state.withLock { $0.failed.add(owners, at: time, most: Self.most) }
    }

    /// Puts what failed a while ago back into the queue; returns whether there was any.
    func bringBack(at time: Duration) -> Bool {
        let owners = state.withLock { $0.failed.takeDue(at: time) }
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

/// What a watch has requested by itself lately: ghosts and objects marked for refetching, left alone meanwhile; bounded.
///
/// What the server doesn't have is requested at most once an hour, and what it failed to answer after ``Postponed/pause``: an
/// object that a page named and that did not come is stale until then.
final class GhostAttempts: Sendable {
    private struct State: Sendable {
        var since: Duration?
        var asked: [Kind: Set<ExactText>] = [:]
        var failed = Postponed()
    }

    static let memory: Duration = .seconds(3_600)
    static let most = 50_000
    private let state = Mutex(State())

    /// What is to be left alone at that time.
    func current(at time: Duration) -> [Kind: Set<ExactText>] {
        state.withLock { state in
            let isOld = state.since.map { time - $0 >= Self.memory } ?? true
            if isOld || state.asked.values.reduce(0, { $0 + $1.count }) > Self.most {
                state = State(since: time)
            }
            return state.asked
        }
    }

    func note(_ asked: [Owner]) {
        state.withLock { state in
            for ghost in asked { state.asked[ghost.kind, default: []].insert(ExactText(ghost.id)) }
        }
    }

    /// Some of what was requested failed in a way that may pass.
    func noteFailed(_ failed: [Owner], at time: Duration) {
        state.withLock { $0.failed.add(failed, at: time, most: Self.most) }
    }

    /// Frees what failed a while ago; returns whether there was any.
    func bringBack(at time: Duration) -> Bool {
        state.withLock { state in
            let due = state.failed.takeDue(at: time)
            for ghost in due { state.asked[ghost.kind]?.remove(ExactText(ghost.id)) }
            return !due.isEmpty
        }
    }
}
