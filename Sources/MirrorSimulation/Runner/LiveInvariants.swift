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
        /// Weak, as the files and the partner own this object.
        weak var files: SimulatedFiles?
        /// The partner, whose answers are compared with what is stored; `nil` for other servers.
        weak var partner: SimulatedPartner?
        /// Whether shows are removed some time after their end.
        var prunes = false
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

    /// Sets what is checked.
    ///
    /// - Parameters:
    ///   - partner: `nil`, the default, if the answers of the server aren't compared with what is stored.
    ///   - prunes: whether shows are removed some time after their end.
    func watch(_ files: SimulatedFiles, partner: SimulatedPartner? = nil, prunes: Bool = false) {
        state.withLock { ($0.files, $0.partner, $0.prunes) = (files, partner, prunes) }
    }

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
        guard let files = state.withLock({ $0.files }), !files.disk.hasCrashed else { return }
        var found: [Violation] = []
        if files.isRunning, (try? RunLock(files.folder)) != nil {
            found.append(Violation(.oneRunAtATime, "Another run could begin during a run."))
        }
        if isNew(files.disk.commits) {
            do {
                found += try files.accessIfOpen { try $0.read { try check(in: $0) } } ?? []
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

    private func check(in db: Database) throws -> [Violation] {
        var found = try ReaderCheck().violations(db)
        let (current, partner, prunes) = state.withLock { ($0.run, $0.partner, $0.prunes) }
        guard var run = current, let partner else { return found }
        let last = run.lastChange
        run.lastChange = try SweepCheck.lastChange(db)
        if run.lastChange > last {
            found += try SweepCheck(serverTranscript: partner.with { $0.serverTranscript }).violations(
                db, after: last)
        }
        let cursor = try CursorCheck.cursor(db)
        if cursor != run.cursor {
            run.cursor = cursor
            found += try partner.cursorCheck(prunes: prunes, failed: run.failed)?.violations(db) ?? []
        }
        state.withLock { [run] in $0.run = run }
        return found
    }
}

extension SimulatedPartner {
    /// The check of the cursor during a run; `nil` if a request failed, as failures are known only after the run, or if
    /// the server sent a false answer.
    fileprivate func cursorCheck(prunes: Bool, failed: Set<String>) -> CursorCheck? {
        let hasNoFaults = with { ($0.faults?.count ?? 0) == 0 }
        guard hasNoFaults, isTruthful else { return nil }
        return CursorCheck(
            catalogue: catalogue, traits: traits, prunes: prunes, failed: failed)
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
