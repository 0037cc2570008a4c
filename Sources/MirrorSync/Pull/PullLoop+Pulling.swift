import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Kinds of which the server says what changed since a date.
extension PullLoop {
    mutating func pull() async throws -> PullResult {
        environment.report.startOver()
        outcome = nil
        try pruning().begin()
        let standing = try await feedStanding()
        cursor = standing.cursor
        try chooseWays(forgotten: standing.forgotten)
        try await audit(forgotten: standing.forgotten)
        let feeds = environment.kinds.listed.compactMap { kind in
            if case .since(let date)? = ways[kind] {
                SinceFeed(environment: environment, kind: kind, since: date)
            } else {
                nil
            }
        }
        guard !feeds.isEmpty else { return .nothingToPull }
        var failed: [(error: any Error, url: String)] = []
        for (feed, answer) in await answers(of: feeds) {
            switch answer {
            case .success(.changes(let changes)):
                if let suspects = suspects[feed.kind], !DigestAudit.explains(changes, suspects) {
                    try list(feed.kind, .audit)
                } else {
                    pulled[feed.kind] = changes
                }
            case .success(.lists(let reason)): ways[feed.kind] = .lists(reason)
            case .failure(let error as HTTPError):
                failed.append((error, feed.operation.route.path))
                ways[feed.kind] = .lists(.refused)
            case .failure(let error): throw error
            }
        }
        if try await isTrouble(failed, .since) { return .serverInTrouble }
        let deletions = try PulledDeletions(pulled, in: environment.store)
        for kind in deletions.kindsToList(DeleteGuard(environment.options.maxDelete)) {
            pulled[kind] = nil
            try list(kind, .deletions)
        }
        return pulled.isEmpty ? .nothingToPull : .done
    }

    /// Has a whole list looked at although the server would tell what changed: even one that is unchanged is walked.
    private mutating func list(_ kind: Kind, _ reason: PullWay.Reason) throws {
        ways[kind] = .lists(reason)
        _ = try environment.store.apply([.unclean(kind: kind)], run: environment.run)
    }

    private typealias Answers = [(SinceFeed, Result<SinceFeed.Answer, any Error>)]

    /// All at once, or one after the other in a synchronous run.
    private func answers(of feeds: [SinceFeed]) async -> Answers {
        guard !environment.options.synchronous else {
            var answers: Answers = []
            for feed in feeds { answers.append((feed, await feed.result())) }
            return answers
        }
        return await withTaskGroup(of: Answers.Element.self) { group in
            for feed in feeds { group.addTask { (feed, await feed.result()) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func isWhole(_ kind: Kind, _ state: SyncReport.State) -> Bool {
        state.whole.contains(kind) && state.refused[kind.name] == nil && !state.outdated.contains(kind)
    }

    /// Of a kind whose list was looked at though its date would have done, what did not come may be what no change since then
    /// tells of: the next run looks at the list again. Where there is another reason for that, the next run finds it, too.
    func forgetUnproven() throws {
        let state = environment.report.current
        let listed = ways.filter { [.lists(.forced), .lists(.refused)].contains($0.value) }.keys
        try environment.store.forgetSince(
            listed.filter { stored[$0]?.since != nil && !isWhole($0, state) })
    }

    /// What the next pull asks with, of every kind of which everything came.
    func nextDates() -> [FinishRequest.Since] {
        guard environment.extensions.contains("since") else { return [] }
        let state = environment.report.current
        return environment.kinds.listed.compactMap { kind in
            guard isWhole(kind, state) else { return nil }
            return NextDate(
                kind: kind, stored: stored[kind], media: environment.options.mediaKey, now: environment.now(),
                oldest: state.oldest[kind]
            ).after(
                pulled[kind], list: state.complete.contains(kind) ? state.listDates[kind] : nil,
                end: state.changesEnd[kind], isAudited: suspects[kind] != nil)
        }
    }

    /// Of a kind that was pulled, what is here is what a list would have named.
    func countPulled() throws {
        for kind in pulled.keys {
            let held = try environment.store.heldCount(kind)
            environment.report.note { $0.listed[kind] = held }
        }
    }
}
