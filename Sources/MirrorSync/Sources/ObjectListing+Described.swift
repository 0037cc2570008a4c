import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// The list of a kind of a described source.
///
/// 1. If the description says how changed objects are found, those that changed since the last sync are marked for refetching.
///    Where that suffices, the list isn't read (``isRecent(_:_:)``).
/// 2. The list is read page by page (``SourceCrawl``): completely at first, later as a list of ids and versions, if there is one.
///    Objects in its rows are stored at once (``ListIntake``).
/// 3. Changed objects are requested several at a time, where the server allows it (``BatchFetch``).
/// 4. The members that are still missing or changed are the items of the step, which requests them one by one.
extension ObjectListing {
    func expand(_ source: DescribedSource) async throws -> Expansion<ObjectItem> {
        try await environment.itemsInFlight.performing { try await list(source) }
    }

    private func list(_ source: DescribedSource) async throws -> Expansion<ObjectItem> {
        guard let list = source.description(of: kind)?.list else { return .empty }
        try await environment.applier.flush()
        let earlier = try environment.store.listState(name.url)
        if let earlier, try isRecent(earlier, source) { return try await changes(list, source) }
        let hasChanges = try await readChanges(list, source), readAt = environment.now()
        let isLater = earlier?.complete == true && !environment.originChanged && !environment.options.full
        let rereads =
            source.catalogue.isNewlyDescribed || environment.originChanged || environment.options.full
        if source.catalogue.isNewlyDescribed, !source.catalogue.reader.listHasObjects(of: kind) {
            environment.logger.notice(
                "The description of \(source.catalogue.partnerID) has changed. The \(kind.plural) that are stored are read in the new way when they change, or all at once with --full."
            )
        }
        let isThin = !list.thin.isEmpty && isLater && !source.catalogue.isNewlyDescribed
        var intake = ListIntake(environment, source, kind, name)
        intake.rereads = rereads
        // Only a first copy is continued. Later lists show what changed, so they are read in one run.
        let key =
            isLater || environment.options.full || environment.sender.isDryRun
            ? nil : UnfinishedCrawl.key(list, source.catalogue, of: kind)
        let unfinished = try key.flatMap { try unfinishedCrawl($0) }
        if let unfinished { intake.resume(unfinished.draft, unfinished.ids) }
        let crawlBegan = unfinished?.crawl.beganAt ?? environment.now().timeIntervalSince1970
        let reading = try await read(
            list, source, thin: isThin, continuing: unfinished.map { ($0.crawl.progress, $0.ids) }
        ) { page, progress in
            let crawl = key.flatMap { key in
                progress.flatMap { UnfinishedCrawl(key: key, beganAt: crawlBegan, progress: $0).text }
            }
            try await intake.take(page, crawl: crawl)
        }
        try await environment.applier.flush()
        if !environment.sender.isDryRun { try environment.store.noteListRead(kind, at: readAt) }
        if key != nil { try environment.store.endCrawl(of: name) }
        let draft = try intake.finishedDraft()
        let date = try reading.beganAt ?? environment.serverTime().timeIntervalSince1970
        environment.report.note { state in
            state.listed[kind] = intake.count
            state.listDates[kind] = date
        }
        let isComplete = reading.verdict == .complete
        // What a list contains exists, also if the list isn't complete. A dry run counts in its temporary tables.
        try environment.store.forgetAbsences(kind, in: draft)
        if isComplete {
            try environment.store.commit(
                draft, answer: ListAnswer(list: name, etag: nil, date: date), count: intake.count,
                run: environment.run)
        }
        conclude(reading.verdict, isOfThisRun: unfinished == nil, gone: intake.gone, source)
        let isEmptySelection = reportEmptySelection(intake.count, source)
        // A dry run stores nothing, so what it has read in the rows would seem to be missing.
        if environment.planned == nil || !intake.hasObjects {
            try await BatchFetch(environment: environment, source: source, kind: kind, name: name)
                .run(draft, fullListPages: isThin ? reading.pages : nil)
        }
        let absent = environment.options.full ? [] : try environment.store.recentlyAbsent(kind)
        guard
            try source.knowsChanges(of: kind) || intake.hasVersions
                || environment.store.hasVersions(in: draft)
        else {
            return try oldestFirst(
                draft, isComplete: isComplete && hasChanges && !isEmptySelection, leavingOut: absent)
        }
        return try members(
            of: draft.number, draft.version, count: intake.count,
            isComplete: isComplete && hasChanges && !isEmptySelection,
            leavingOut: absent)
    }

    /// Reads the list, or those of the selected parts one after the other.
    private func read(
        _ list: ListDescription, _ source: DescribedSource, thin: Bool,
        continuing earlier: (progress: ListCrawl.Progress, ids: [String])?,
        _ take: (SourcePage, ListCrawl.Progress?) async throws -> Void
    ) async throws -> SourceCrawl.Reading {
        let crawl = SourceCrawl(environment: environment, source: source, kind: kind, name: name)
        let parts = source.catalogue.selection
        guard kind == .artwork, !parts.isEmpty else {
            return try await crawl.read(list, for: .all(thin: thin), continuing: earlier, take)
        }
        var all: SourceCrawl.Reading?
        for part in parts {
            let reading = try await crawl.read(
                list, for: .selection(part.selection, value: part.option.value, thin: thin),
                continuing: earlier, take)
            all = all?.adding(reading) ?? reading
        }
        return all ?? .init(verdict: .complete, pages: 0)
    }

    /// What an earlier run has read of the list, if it may be continued.
    private func unfinishedCrawl(_ key: String) throws -> (
        draft: ListDraft, crawl: UnfinishedCrawl, ids: [String]
    )? {
        guard let stored = try environment.store.unfinishedCrawl(of: name),
            let crawl = UnfinishedCrawl(stored.text, key: key, now: environment.now())
        else { return nil }
        return (stored.draft, crawl, try environment.store.ids(in: stored.draft))
    }

    /// Notes what the list proves, and reports why it proves nothing.
    ///
    /// - Parameter isOfThisRun: whether all of it was read in this run. Otherwise nothing is concluded from what it lacks.
    private func conclude(
        _ verdict: ListProof.Verdict, isOfThisRun: Bool, gone: Set<ExactText>, _ source: DescribedSource
    ) {
        switch verdict {
        case .complete:
            let mayRemove = source.deletion(of: kind) == .absence && !source.catalogue.hasNewSelection
            environment.report.note { state in
                if source.deletion(of: kind) == .signal { state.signalled[kind] = gone }
                state.proven.insert(kind)
                if !isOfThisRun { state.continued.insert(kind) }
                if mayRemove, isOfThisRun { state.complete.insert(kind) }
            }
        case .incomplete(let reason):
            environment.report.problemOnce(
                Problem(
                    what: "incomplete list", kind: kind.name, id: name.url,
                    message:
                        "The server's \(name.title) was not proven to be complete, so nothing that is missing from it was removed. \(reason)"
                ))
        }
    }

    /// Reports a selection that has no artworks: its value may be mistyped.
    ///
    /// - Returns: whether it has none.
    private func reportEmptySelection(_ count: Int, _ source: DescribedSource) -> Bool {
        let selection = source.catalogue.selection.map { "\($0.option.name)=\($0.option.value)" }
        guard kind == .artwork, count == 0, !selection.isEmpty else { return false }
        environment.report.problemOnce(
            Problem(
                what: "selection", kind: kind.name, id: nil,
                message:
                    "The server lists no artworks for the selection \(selection.joined(separator: ", ")). Check its value, or select the whole catalogue with --select all."
            ))
        return true
    }
}

extension SourceCrawl.Reading {
    /// This reading and that of another part together.
    fileprivate func adding(_ other: SourceCrawl.Reading) -> SourceCrawl.Reading {
        SourceCrawl.Reading(
            verdict: verdict == .complete ? other.verdict : verdict, pages: pages + other.pages,
            beganAt: beganAt)
    }
}
