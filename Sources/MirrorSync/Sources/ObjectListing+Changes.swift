import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// The objects of a described source that changed since the last sync.
extension ObjectListing {
    /// How long the polls of a watch use the changes alone, in seconds.
    static let listLifetime: TimeInterval = 86_400

    /// Whether the changes suffice, because the whole list was read less than a day ago. Only the polls of a watch do so.
    ///
    /// Then the list is only needed to see what was removed.
    func isRecent(_ earlier: ListState, _ source: DescribedSource) throws -> Bool {
        let catalogue = source.catalogue, options = environment.options
        guard options.usesRecentLists, !options.full, !environment.originChanged, earlier.complete,
            source.knowsChanges(of: kind), !catalogue.isNewlyDescribed, !catalogue.hasNewSelection,
            let record = try environment.store.sinceRecords()[kind], record.since != nil,
            let readAt = record.auditedAt
        else { return false }
        return (0..<Self.listLifetime).contains(environment.now().timeIntervalSince(readAt))
    }

    /// Requests the changes, and adds them to the stored list. Its members that are missing or changed are the items of the step.
    func changes(_ list: ListDescription, _ source: DescribedSource) async throws -> Expansion<ObjectItem> {
        let isComplete = try await readChanges(list, source, amending: true)
        guard let state = try environment.store.listState(name.url) else { return .empty }
        environment.report.note { $0.listed[kind] = state.members }
        try await BatchFetch(environment: environment, source: source, kind: kind, name: name)
            .run(state.members(of: name), fullListPages: nil)
        return try members(
            of: state.number, state.version, count: state.members, isComplete: isComplete,
            leavingOut: environment.store.recentlyAbsent(kind))
    }

    /// Requests what changed since the last sync.
    ///
    /// - Parameter amends: whether the changes are added to the stored list, because the list isn't read afterwards.
    /// - Returns: `false` if the changes could not be read completely, so that the next sync requests them again.
    func readChanges(
        _ list: ListDescription, _ source: DescribedSource, amending amends: Bool = false
    ) async throws -> Bool {
        guard source.knowsChanges(of: kind), let since = list.since else { return true }
        let known = environment.originChanged ? nil : try environment.store.sinceRecords()[kind]?.since
        let began = Timestamp(
            seconds: Int(try environment.serverTime().timeIntervalSince1970 - SinceRule.overlap))
        guard let time = known.flatMap({ Timestamp($0) }) else {
            try await beginSince(began)
            return true
        }
        guard !environment.options.full else { return true }
        var intake = ListIntake(environment, source, kind, name)
        let crawl = SourceCrawl(environment: environment, source: source, kind: kind, name: name)
        let verdict: ListProof.Verdict
        do {
            verdict = try await crawl.read(list, for: .changes(since, since: time)) { page, _ in
                let members = try await intake.takeChanges(page)
                guard amends else { return }
                try environment.store.amend(name, with: members.map { (id: $0.id, etag: $0.etag) })
            }.verdict
        } catch let error as HTTPError {
            verdict = .incomplete(error.message)
        } catch let error as LastingFailure {
            verdict = .incomplete(error.description)
        }
        // The changed objects are marked in the database. So the next run, also after a killed one, needs only later changes.
        try await environment.applier.flush()
        guard case .incomplete(let reason) = verdict else {
            try environment.store.setSince(kind, to: began.text)
            return true
        }
        environment.report.problemOnce(
            Problem(
                what: "changes", kind: kind.name, id: name.url,
                message:
                    "The changes of \(kind.plural) since \(time.text) could not be read completely. The next sync requests them again. \(reason)"
            ))
        return false
    }

    /// Stores the first date for requests of changes. Objects that are stored already, such as those of a selection, may have changed
    /// before it, so they are marked for refetching.
    private func beginSince(_ date: Timestamp) async throws {
        guard environment.sender.isDryRun else {
            return try environment.store.beginSince(kind, at: date.text)
        }
        try environment.store.setSince(kind, to: date.text)
        for id in try environment.store.snapshot({ try $0.ids(kind) }) {
            try await environment.applier.submit(.refetch(kind: kind, id: id))
        }
    }
}
