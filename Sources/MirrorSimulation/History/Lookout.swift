import MirrorStore
import Synchronization

/// Looks at the mirror while a run is under way, whenever something was committed: as a reader beside it would.
final class Lookout: Sendable {
    private struct State {
        /// It has the partner, who has this: kept, none of the three would go when the history ends.
        weak var mirror: SimulatedMirror?
        var commits = 0
        var found: [Violation] = []
    }

    private let state = Mutex(State())

    func watch(_ mirror: SimulatedMirror) { state.withLock { $0.mirror = mirror } }

    func look() {
        guard let mirror = state.withLock({ $0.mirror }), !mirror.disk.isDead else { return }
        let found = Self.look(at: mirror, isNew: isNew(mirror.disk.commits))
        if !found.isEmpty { state.withLock { $0.found += found } }
    }

    private func isNew(_ commits: Int) -> Bool {
        state.withLock { state in
            defer { state.commits = commits }
            return commits != state.commits
        }
    }

    private static func look(at mirror: SimulatedMirror, isNew: Bool) -> [Violation] {
        var found: [Violation] = []
        if mirror.isRunning, (try? RunLock(mirror.folder)) != nil {
            found.append(Violation(.oneRunAtATime, "Another run could begin beside one."))
        }
        guard isNew else { return found }
        do {
            found += try mirror.glance { try $0.read(ReaderCheck().violations) } ?? []
        } catch {
            found.append(Violation(.readersSeeWholeObjects, "A reader beside a run failed: \(error)"))
        }
        return found
    }

    func take() -> [Violation] {
        state.withLock { state in
            defer { state.found = [] }
            return state.found
        }
    }
}
