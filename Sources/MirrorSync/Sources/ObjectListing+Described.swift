import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// The list of a kind of a described source.
///
/// 1. If the description says how changed objects are found, those that changed since the last sync are marked for refetching.
/// 2. The list is read page by page (``SourceCrawl``): completely at first, later as a list of ids and versions, if there is one.
///    Objects in its rows are stored at once (``ListIntake``).
/// 3. Changed objects are requested several at a time, where the server allows it (``BatchFetch``).
/// 4. The members that are still missing or changed are the items of the step, which requests them one by one.
extension ObjectListing {
    func expand(_ source: DescribedSource) async throws -> Expansion<ObjectItem> {
        guard let list = source.description(of: kind)?.list else { return .empty }
        try await environment.applier.flush()
        let began = try environment.serverTime(), earlier = try environment.store.listState(name.url)
        let hasChanges = try await readChanges(list, source)
        let isLater = earlier?.complete == true && !environment.originChanged && !environment.options.full
        let rereads =
            source.catalogue.isNewlyDescribed || environment.originChanged || environment.options.full
        let isThin = !list.thin.isEmpty && isLater && !source.catalogue.isNewlyDescribed
        var intake = ListIntake(environment, source, kind, name)
        intake.rereads = rereads
        let reading = try await read(list, source, thin: isThin) { try await intake.take($0) }
        try await environment.applier.flush()
        let draft = try intake.finishedDraft(), date = reading.beganAt ?? began.timeIntervalSince1970
        environment.report.note { state in
            state.listed[kind] = intake.count
            state.listDates[kind] = date
            state.sinceDates[kind] = hasChanges ? began.timeIntervalSince1970 : nil
        }
        let isComplete = reading.verdict == .complete
        if isComplete {
            try environment.store.commit(
                draft, answer: ListAnswer(list: name, etag: nil, date: date), count: intake.count,
                run: environment.run)
        }
        conclude(reading.verdict, count: intake.count, source)
        try await BatchFetch(environment: environment, source: source, kind: kind, name: name)
            .run(draft, fullListPages: isThin ? reading.pages : nil)
        return try members(
            of: draft.number, draft.version, count: intake.count, isComplete: isComplete && hasChanges,
            leavingOut: environment.options.full ? [] : environment.store.recentlyAbsent(kind))
    }

    /// Reads the list, or those of the selected parts one after the other.
    private func read(
        _ list: ListDescription, _ source: DescribedSource, thin: Bool,
        _ take: (SourcePage) async throws -> Void
    ) async throws -> SourceCrawl.Reading {
        let crawl = SourceCrawl(environment: environment, source: source, kind: kind, name: name)
        let parts = source.catalogue.selection
        guard kind == .artwork, !parts.isEmpty else {
            return try await crawl.read(list, for: .all(thin: thin), take)
        }
        var all: SourceCrawl.Reading?
        for part in parts {
            let reading = try await crawl.read(
                list, for: .selection(part.selection, value: part.option.value, thin: thin), take)
            all = all?.adding(reading) ?? reading
        }
        return all ?? .init(verdict: .complete, pages: 0)
    }

    /// Notes what the list proves, and reports why it proves nothing.
    private func conclude(_ verdict: ListProof.Verdict, count: Int, _ source: DescribedSource) {
        switch verdict {
        case .complete:
            let mayRemove = source.deletion(of: kind) == .absence && !source.catalogue.hasNewSelection
            environment.report.note { state in
                state.proven.insert(kind)
                if mayRemove { state.complete.insert(kind) }
            }
        case .incomplete(let reason):
            environment.report.problem(
                Problem(
                    what: "incomplete list", kind: kind.name, id: name.url,
                    message:
                        "The server's \(name.title) was not proven to be complete, so nothing that is missing from it was removed. \(reason)"
                ))
        }
    }

    // MARK: - Changes

    /// Requests what changed since the last sync.
    ///
    /// - Returns: `false` if the changes could not be read completely, so that the next sync requests them again.
    private func readChanges(_ list: ListDescription, _ source: DescribedSource) async throws -> Bool {
        guard source.knowsChanges(of: kind), let since = list.since else { return true }
        let known = environment.originChanged ? nil : try environment.store.sinceRecords()[kind]?.since
        guard let time = known.flatMap({ Timestamp($0) }) else {
            let first = Timestamp(
                seconds: Int(try environment.serverTime().timeIntervalSince1970 - SinceRule.overlap))
            try environment.store.beginSince(kind, at: first.text)
            return true
        }
        guard !environment.options.full else { return true }
        var intake = ListIntake(environment, source, kind, name)
        let crawl = SourceCrawl(environment: environment, source: source, kind: kind, name: name)
        let verdict: ListProof.Verdict
        do {
            verdict = try await crawl.read(list, for: .changes(since, since: time)) {
                try await intake.takeChanges($0)
            }.verdict
        } catch let error as HTTPError {
            verdict = .incomplete(error.message)
        }
        guard case .incomplete(let reason) = verdict else { return true }
        environment.report.problem(
            Problem(
                what: "changes", kind: kind.name, id: name.url,
                message:
                    "The changes of \(kind.plural) since \(time.text) could not be read completely. The next sync requests them again. \(reason)"
            ))
        return false
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
