import Catalogue
import CatalogueSources
import MirrorHTTP
import MirrorStore
import OperationTree

/// Requests the stored objects that a complete list of a described source lacked by their own URLs, and counts those that are absent.
///
/// An object is removed only if several complete lists lacked it, and if its own URL was absent each time (``AbsenceRule``).
///
/// A dry run counts in its temporary tables. It requests only a few objects, those first that are due for removal.
struct AbsenceCheck {
    let environment: SyncEnvironment

    /// - Returns: failures, after which nothing is concluded from the list about the object.
    func run() async throws -> ProblemList {
        var problems = ProblemList()
        guard let source = environment.described, !source.catalogue.hasFormerSelection else {
            return problems
        }
        let state = environment.report.current, lists = state.proven.subtracting(state.continued)
        for kind in environment.kinds.listed where lists.contains(kind) {
            let missing = try environment.store.countAbsences(kind, run: environment.run)
            guard source.deletion(of: kind) == .absence, !missing.isEmpty else { continue }
            let width = environment.session.expectedConcurrency
            let requested = try environment.planned == nil ? missing : planned(missing, kind, source)
            for problem in try await environment.each(
                of: requested, atOnce: width,
                { id in try await environment.itemsInFlight.performing { try await check(kind, id) } })
            {
                if let problem { problems.add(problem) }
            }
        }
        try await environment.applier.flush()
        return problems
    }

    /// Chooses the objects that a dry run requests. The others are taken to be absent.
    private func planned(_ missing: [String], _ kind: Kind, _ source: DescribedSource) throws -> [String] {
        for id in missing { try environment.store.noteAnswer(kind, id, isAbsent: true) }
        let gone = source.description(of: kind)?.gone
        let due = try gone.map {
            try environment.store.removable(kind, by: AbsenceRule(lists: $0.lists, apart: $0.apart))
        }
        let first = Set((due ?? []).map(ExactText.init))
        let ordered =
            missing.filter { first.contains(ExactText($0)) }
            + missing.filter { !first.contains(ExactText($0)) }
        let requested = Array(ordered.prefix(environment.sampleLimit)),
            others = missing.count - requested.count
        environment.planned?.note(requests: others, confirmations: others)
        environment.planned?.note { $0.described.openAbsences += others }
        return requested
    }

    /// - Returns: why nothing is known about the object; `nil` if the server answered.
    private func check(_ kind: Kind, _ id: String) async throws -> Problem? {
        guard
            let operation = environment.source.operation(
                id, of: kind, known: nil, cache: .noCache, isReload: environment.options.full)
        else { return nil }
        do {
            guard case .object(let found, let head) = try await environment.send(operation) else {
                return nil
            }
            try environment.store.noteAnswer(kind, id, isAbsent: found.json == nil)
            guard found.json != nil else { return nil }
            let stored = try environment.store.beside(kind, [(id, nil, nil)]).first?.stored
            let version = head.etag ?? found.version
            // The stored version may be that of a list, which the answer doesn't have.
            if case .row(let etag, _)? = stored, etag == version { return nil }
            try await environment.store(found, of: kind, id: id, version: version)
            return nil
        } catch let error as HTTPError where environment.source.means(absence: error, of: kind) {
            try environment.store.noteAnswer(kind, id, isAbsent: true)
            return nil
        } catch let error
            where !(error is CancellationError) && !(error is SyncError) && !(error is StoreError)
        {
            return Problem(
                what: "object", kind: kind.name, id: id,
                message:
                    "The list lacks this \(kind.name), and its own URL could not be read, so it stays. \(error)"
            )
        }
    }
}
