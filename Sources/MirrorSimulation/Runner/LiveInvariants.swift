import GRDB
import MirrorStore
import Synchronization

/// Checks the mirror while a run is in progress, as another process would see it: before each request, and after each
/// commit. If runs open their own files, only before each request.
///
/// At any moment:
/// - the server has already reported everything that was swept as deleted;
/// - the page of a stored cursor is stored;
/// - objects are complete;
/// - no other run can begin.
final class LiveInvariants: Sendable {
    private struct State {
        /// Weak, as the mirror owns the partner, and the partner owns this object.
        weak var mirror: SimulatedMirror?
        var commits = 0
        var run: Run?
        var found: [Violation] = []
    }

    /// The state of the checks in the current run.
    private struct Run {
        /// The last change that was checked.
        var lastChange: Int64
        /// The last cursor that was checked.
        var cursor: String?
        /// Ids of objects that failed before the run.
        let failed: Set<String>
    }

    private let state = Mutex(State())

    func watch(_ mirror: SimulatedMirror) { state.withLock { $0.mirror = mirror } }

    /// Begins a run.
    ///
    /// - Parameters:
    ///   - lastChange: the sequence number of the last stored change.
    ///   - cursor: the stored cursor. It is not checked again: changes since then are not reported up to it, and objects
    ///     may have been deleted without a report.
    func begin(lastChange: Int64, cursor: String?, failed: Set<String>) {
        state.withLock { $0.run = Run(lastChange: lastChange, cursor: cursor, failed: failed) }
    }

    /// Ends the run, and returns the violations that were found in it.
    func end() -> [Violation] {
        state.withLock { state in
            defer { (state.run, state.found) = (nil, []) }
            return state.found
        }
    }

    /// Checks the mirror; called before a request and after a commit.
    func check() {
        guard let mirror = state.withLock({ $0.mirror }), !mirror.disk.hasCrashed else { return }
        var found: [Violation] = []
        if mirror.isRunning, (try? RunLock(mirror.folder)) != nil {
            found.append(Violation(.oneRunAtATime, "Another run could begin during a run."))
        }
        if isNew(mirror.disk.commits) {
            do {
                found += try mirror.accessIfOpen { try $0.read { try check(in: $0, of: mirror) } } ?? []
            } catch {
                found.append(Violation(.readersSeeCompleteObjects, "A reader failed during a run: \(error)"))
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
    /// The check of the cursor during a run; `nil` if a request failed, as failures are known only after the run, or if
    /// the server sent a false answer.
    fileprivate func cursorCheck(_ mirror: SimulatedMirror, failed: Set<String>) -> CursorCheck? {
        let hasNoFaults = with { ($0.faults?.count ?? 0) == 0 }
        guard hasNoFaults, isTruthful else { return nil }
        return CursorCheck(
            catalogue: catalogue, traits: traits, prunes: mirror.keepShows != nil, failed: failed)
    }
}

/// Calls ``LiveInvariants/check()`` after each commit of the writing connection.
final class CommitObserver: TransactionObserver {
    private let liveInvariants: LiveInvariants

    init(_ liveInvariants: LiveInvariants) { self.liveInvariants = liveInvariants }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { liveInvariants.check() }
    func databaseDidRollback(_ db: Database) {}
}
