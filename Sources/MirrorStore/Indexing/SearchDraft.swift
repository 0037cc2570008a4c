import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Makes a first search index in memory, beside what else a first run does.
///
/// To fill the index takes as long as all else that ends such a run, and both write to one file, where one writes at a time.
/// So it is made in a database of its own in memory, of what is committed, as objects come in and then at the end; its tables
/// are copied as they are, in a fifth of the time. A draft counts only if nothing that it holds has changed since; where
/// anything else stands in its way there is none, and the index is made in its place.
final class SearchDraft: Sendable {
    /// An index that is ready.
    struct Made: Sendable {
        /// By which another connection of this process attaches it, for as long as this value is there.
        let uri: String
        /// The last change that it knows of.
        let change: Int64
        fileprivate let owner: DatabaseQueue
    }

    /// Rows of a kind up to which it is worth the memory, some 400 bytes each.
    static let most: Int64 = 25_000
    /// Writes after which what came is put in: each time adds a segment to the index, and sixteen would be merged.
    private static let step = 2_048

    private let path: String
    private let queue = DispatchQueue(label: "mirror.index")
    /// Writes since the last step.
    private let written = Mutex(0)
    /// Changes on the queue alone.
    private let state = Mutex(State())

    private struct State {
        var filling: SearchFilling?
        var made: Made?
        /// Whether there is nothing to be done before the end.
        var rests = false
    }

    /// Opens nothing yet.
    init(path: String) { self.path = path }

    /// Goes on with a draft when so much was committed that it is worth it; returns at once.
    func advance(by writes: Int) {
        let isDue = written.withLock { written in
            written += writes
            guard written >= Self.step else { return false }
            written = 0
            return true
        }
        if isDue { queue.async { [self] in step(isLast: false) } }
    }

    /// Begins to make a draft of all that is committed; returns at once.
    func begin() { queue.async { [self] in step(isLast: true) } }

    /// Returns when what was begun has ended.
    func wait() { queue.sync {} }

    /// What was begun, when it has ended; `nil` if there is none. Gives it away.
    func take() -> Made? {
        wait()
        return state.withLock { state in
            defer { state = State() }
            return state.made
        }
    }

    // MARK: - On the queue

    private func step(isLast: Bool) {
        // Without these, a name would be taken for that of a file.
        guard sqlite3_compileoption_used("USE_URI") != 0 else { return }
        var next = state.withLock { $0 }
        guard isLast || !next.rests else { return }
        // What can't be made here is made by whoever asks for it.
        next = (try? step(next, isLast: isLast)) ?? State(rests: true)
        state.withLock { $0 = next }
    }

    private func step(_ state: State, isLast: Bool) throws -> State {
        guard let stored = DatabaseName.ofExisting(path) else { return State(rests: true) }
        var filling = try state.filling ?? SearchFilling(most: Self.most)
        switch try filling.advance(stored, isLast: isLast) {
        case .ready(let change):
            return State(made: Made(uri: filling.uri, change: change, owner: filling.owner), rests: true)
        case .goesOn: return State(filling: filling)
        // From the beginning, at the end.
        case .spoiled: return isLast ? try step(State(), isLast: true) : State(rests: true)
        case .needless: return State(rests: true)
        }
    }
}
