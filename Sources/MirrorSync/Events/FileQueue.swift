import Catalogue
import MirrorStore
import Synchronization

/// Objects that failed and are tried again after a pause of 5 minutes.
struct Postponed: Sendable {
    static let pause: Duration = .seconds(300)
    private var objects: [Owner] = []
    /// When the first of them failed.
    private var since: Duration = .zero

    /// Adds objects, up to the capacity; the rest is dropped.
    mutating func add(_ failed: [Owner], at time: Duration, capacity: Int) {
        if objects.isEmpty { since = time }
        objects += failed.prefix(max(0, capacity - objects.count))
    }

    /// Removes and returns the objects once the pause is over; empty before.
    mutating func takeDue(at time: Duration) -> [Owner] {
        guard time - since >= Self.pause else { return [] }
        defer { objects = [] }
        return objects
    }
}

/// A bounded queue of objects whose files are still to be downloaded, each object once, the oldest first.
final class FileQueue: Sendable {
    private struct State {
        var waiting: [Owner] = []
        var known: Set<Owner> = []
        var hasOverflown = false
        var failed = Postponed()
        var downloads = SharedDownloads()
    }

    /// The capacity. The files of further objects are left to the next sync.
    static let most = 10_000
    private let isWanted: Bool
    private let state = Mutex(State())

    /// - Parameter isWanted: whether files are downloaded at all; if not, the queue stays empty.
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

    /// The addresses that were already requested for the last page. Its objects are taken from the queue in several parts; an
    /// address that they share is requested once.
    var downloads: SharedDownloads { state.withLock { $0.downloads } }

    /// Forgets the requested addresses. Call it before adding the objects of a page or refresh: a file may have changed since
    /// its address was requested.
    func startOver() { state.withLock { $0.downloads = SharedDownloads() } }

    func take(_ count: Int) -> [Owner] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            state.known.subtract(taken)
            return taken
        }
    }

    /// Keeps objects whose files could not be downloaded, to try again after ``Postponed/pause``.
    func postpone(_ owners: [Owner], at time: Duration) {
        state.withLock { $0.failed.add(owners, at: time, capacity: Self.most) }
    }

    /// Puts the failed objects back into the queue once their pause is over.
    ///
    /// - Returns: whether there were any.
    func bringBack(at time: Duration) -> Bool {
        let owners = state.withLock { $0.failed.takeDue(at: time) }
        guard !owners.isEmpty else { return false }
        startOver()
        add(owners)
        return true
    }

    var count: Int { state.withLock { $0.waiting.count } }

    /// Whether an object was dropped for lack of capacity since the last call.
    func takeOverflow() -> Bool {
        state.withLock { state in
            defer { state.hasOverflown = false }
            return state.hasOverflown
        }
    }
}

/// The ghosts and stale objects that a watch has requested in the last hour, so that it doesn't request them again.
///
/// An object that the server doesn't have is requested at most once an hour. If the server failed to answer, the object is
/// requested again after ``Postponed/pause``; until then it is stale. The number of remembered objects is bounded.
final class GhostAttempts: Sendable {
    private struct State: Sendable {
        var since: Duration?
        var asked: [Kind: Set<ExactText>] = [:]
        var failed = Postponed()
    }

    static let memory: Duration = .seconds(3_600)
    static let most = 50_000
    private let state = Mutex(State())

    /// The objects that must not be requested at that time.
    func current(at time: Duration) -> [Kind: Set<ExactText>] {
        state.withLock { state in
            let isOld = state.since.map { time - $0 >= Self.memory } ?? true
            if isOld || state.asked.values.reduce(0, { $0 + $1.count }) > Self.most {
                state = State(since: time)
            }
            return state.asked
        }
    }

    /// Remembers objects that are about to be requested.
    func note(_ asked: [Owner]) {
        state.withLock { state in
            for ghost in asked { state.asked[ghost.kind, default: []].insert(ExactText(ghost.id)) }
        }
    }

    /// Notes objects whose request failed in a way that may be temporary.
    func noteFailed(_ failed: [Owner], at time: Duration) {
        state.withLock { $0.failed.add(failed, at: time, capacity: Self.most) }
    }

    /// Forgets the failed objects once their pause is over, so that they are requested again.
    ///
    /// - Returns: whether there were any.
    func bringBack(at time: Duration) -> Bool {
        state.withLock { state in
            let due = state.failed.takeDue(at: time)
            for ghost in due { state.asked[ghost.kind]?.remove(ExactText(ghost.id)) }
            return !due.isEmpty
        }
    }
}
