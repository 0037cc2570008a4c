import Catalogue
import MirrorStore
import OperationTree

/// The run of the tree, over whole lists or over what was pulled.
extension PullLoop {
    mutating func walk() async throws -> PullResult {
        let options = environment.options
        if !environment.hasLists { environment.hasLists = try environment.store.hasLists() }
        environment.downloads.forgetFailures()
        let run = environment.feeding(try sources(), isJustLoaded: isJustLoaded)
            .run(SyncTree.tree, on: environment.partner)
        monitor.attach(
            run, session: environment.session, report: environment.report, hasMedia: options.media)
        try watchObjects()
        let outcome = await applier.committing(isTimed: !options.synchronous) { await run.execute() }
        let stop = environment.breaker.disarm()
        self.outcome = outcome
        switch outcome.state {
        case .complete, .partial: return try await isInTrouble(outcome) ? .serverInTrouble : .done
        case .cancelled: return .cancelled
        case .failed(let error as SyncError) where error.code == .serverTrouble && stop.request != nil:
            return stopped(stop)
        case .failed(let error): throw error
        }
    }

    /// Of a kind that was pulled, the tree looks at what changed: what is stored is vouched for by itself. Objects of which
    /// the server didn't have a file a day ago are looked at with them. Of a kind that isn't to be looked at, at nothing.
    private func sources() throws -> [Kind: ObjectSource] {
        let left = environment.kinds.listed.filter { ways[$0] == nil || ways[$0] == .snapshot }.map {
            ($0, ObjectSource.given([]))
        }
        return try Dictionary(uniqueKeysWithValues: left).merging(given()) { $1 }
    }

    private func given() throws -> [Kind: ObjectSource] {
        let options = environment.options
        return try pulled.mapValues { changes in
            let due =
                options.media
                ? try environment.store.ownersOfDueFiles(changes.kind, formats: options.formats) : []
            let members = try environment.store.beside(changes.kind, changes.members)
            return .given(
                try members.map { member in
                    GivenItem(
                        id: member.id, known: member.known, listedETag: member.listedETag,
                        lists: try member.lists.map(ObjectTriage.lists), isVouched: member.isCurrent)
                }
                    + due.subtracting(members.map(\.id)).sorted().map { GivenItem(id: $0, isVouched: true) })
        }
    }
}
