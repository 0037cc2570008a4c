import GRDB
import MirrorStore
import Synchronization

/// Looks at the mirror as a reader beside the run would: before each request, and behind each commit. Where runs open files
/// of their own, before each request alone.
///
/// What it sees must hold at once: what is swept has been said to be gone by then, a cursor has its page with it, objects
/// are whole, and no other run could begin.
final class LiveInvariants: Sendable {
    private struct State {
        /// It has the partner, who has this: kept, none of the three would go when the history ends.
        weak var mirror: SimulatedMirror?
        var commits = 0
        var run: Run?
        var found: [Violation] = []
    }

    /// How far the run that is under way was looked at.
    private struct Run {
        /// The last change that was looked at.
        var lastChange: Int64
        /// The last cursor that was held against what the feed told.
        var cursor: String?
        /// Ids of objects that failed before it.
        let failed: Set<String>
    }

    private let state = Mutex(State())

    func watch(_ mirror: SimulatedMirror) { state.withLock { $0.mirror = mirror } }

    /// A run begins.
    ///
    /// - Parameters:
    ///   - lastChange: the last one that is there.
    ///   - cursor: the one that is stored. What changed there since isn't told up to it, and may be what went silently.
    func begin(lastChange: Int64, cursor: String?, failed: Set<String>) {
        state.withLock { $0.run = Run(lastChange: lastChange, cursor: cursor, failed: failed) }
    }

    /// What was found in the run, which is over.
    func end() -> [Violation] {
        state.withLock { state in
            defer { (state.run, state.found) = (nil, []) }
            return state.found
        }
    }

    /// Before a request, or behind a commit.
    func check() {
        guard let mirror = state.withLock({ $0.mirror }), !mirror.disk.hasCrashed else { return }
        var found: [Violation] = []
        if mirror.isRunning, (try? RunLock(mirror.folder)) != nil {
            found.append(Violation(.oneRunAtATime, "Another run could begin beside one."))
        }
        if isNew(mirror.disk.commits) {
            do {
                found += try mirror.accessIfOpen { try $0.read { try check(in: $0, of: mirror) } } ?? []
            } catch {
                found.append(Violation(.readersSeeCompleteObjects, "A reader beside a run failed: \(error)"))
            }
        }
        if !found.isEmpty { state.withLock { $0.found += found } }
    }

    private func isNew(_ commits: Int) -> Bool {
        state.withLock { state in
            defer { state.commits = commits }
            return commits != state.commits
        }
    }

    private func check(in db: Database, of mirror: SimulatedMirror) throws -> [Violation] {
        var found = try ReaderCheck().violations(db)
        guard var run = state.withLock({ $0.run }) else { return found }
        let last = run.lastChange
        run.lastChange = try SweepCheck.lastChange(db)
        if run.lastChange > last {
            found += try SweepCheck(serverTranscript: mirror.partner.with { $0.serverTranscript }).violations(
                db, after: last)
        }
        let cursor = try CursorCheck.cursor(db)
        if cursor != run.cursor {
            run.cursor = cursor
            found += try mirror.partner.cursorCheck(mirror, failed: run.failed)?.violations(db) ?? []
        }
        state.withLock { [run] in $0.run = run }
        return found
    }
}

extension SimulatedPartner {
    /// What the mirror's cursor is held against while a run is under way; `nil` where something failed in it, which its end
    /// tells, or where something was said that isn't so.
    fileprivate func cursorCheck(_ mirror: SimulatedMirror, failed: Set<String>) -> CursorCheck? {
        let hasNoFaults = with { ($0.faults?.count ?? 0) == 0 }
        guard hasNoFaults, isTruthful else { return nil }
        return CursorCheck(
            catalogue: catalogue, traits: traits, prunes: mirror.keepShows != nil, failed: failed)
    }
}

/// Has a ``Lookout`` look behind each commit of the connection that writes.
final class CommitObserver: TransactionObserver {
    private let liveInvariants: LiveInvariants

    init(_ liveInvariants: LiveInvariants) { self.liveInvariants = liveInvariants }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { liveInvariants.check() }
    func databaseDidRollback(_ db: Database) {}
}
