import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP

/// Requests that only later syncs send: the list of ids and versions, several objects in one answer, and changes.
///
/// Each is tried with one request.
extension SourceCheck.KindCheck {
    /// The maximum number of objects that are requested in one answer.
    private static let batchSize = 3
    /// The changes of this time are requested, in seconds.
    private static let changesOf = 86_400

    /// Tries what the description has of them.
    ///
    /// - Parameter page: the first page of the full list.
    mutating func tryLaterRequests(beside page: SourcePage) async throws {
        guard let list = described.list else { return }
        if !list.thin.isEmpty { try await tryThinList(list, beside: page) }
        if let batch = described.object.batch { try await tryBatch(batch, of: page) }
        if let since = list.since, case .parameter = since { try await tryChanges(list, since, beside: page) }
    }

    private mutating func tryThinList(_ list: ListDescription, beside page: SourcePage) async throws {
        var trial = SourceCheck.TrialReport(key: "list.thin")
        defer { report.trials.append(trial) }
        guard let crawl = crawl(list, for: .all(thin: true)),
            let answer = try await firstPage(
                of: crawl, "the list of ids and versions of \(kind.plural)", key: trial.key),
            let thin = reading({ [reader, kind] in try reader.page(answer.body, of: kind, thin: true) })
        else { return }
        trial.rows = thin.rows.count
        trial.findings = ThinListComparison(of: thin, with: page).findings
    }

    private mutating func tryBatch(_ batch: ObjectDescription.Batch, of page: SourcePage) async throws {
        var ids: [String] = [], seen: Set<ExactText> = []
        for row in page.rows where !row.isGone && seen.insert(ExactText(row.id)).inserted {
            ids.append(row.id)
        }
        ids = Array(ids.prefix(min(batch.size, Self.batchSize)))
        guard !ids.isEmpty else { return }
        var trial = SourceCheck.TrialReport(key: "object.batch")
        defer { report.trials.append(trial) }
        let url = reader.description.url(
            batch.get, [.ids: URLTemplate.joined(ids), .size: String(batch.size)])
        guard
            let answer = try await successful(
                url, "several \(kind.plural) in one answer", key: "\(trial.key).get"),
            let answers = reading({ [reader, kind, ids] in
                try reader.objects(answer.body, ids: ids, of: kind)
            })
        else { return }
        let found = answers.values.count { $0.object != nil }
        trial.rows = found
        trial.findings.append(
            found == ids.count
                ? "All objects that were requested in one answer were read."
                : "\(ids.count - found) of the \(ids.count) objects that were requested in one answer couldn't be read from it, so that a sync would request them one by one. Compare \"batch\" with the answer."
        )
        if let own = report.object, let other = answers[ExactText(own.object.id)]?.object,
            let difference = own.difference(from: other)
        {
            trial.findings.append(difference)
        }
    }

    private mutating func tryChanges(
        _ list: ListDescription, _ since: ListDescription.Since, beside page: SourcePage
    ) async throws {
        var trial = SourceCheck.TrialReport(key: "list.since")
        defer { report.trials.append(trial) }
        let time = Timestamp(seconds: Int(now.timeIntervalSince1970) - Self.changesOf)
        guard let crawl = crawl(list, for: .changes(since, since: time)),
            let answer = try await firstPage(
                of: crawl, "the changes of \(kind.plural)", key: "\(trial.key).get"),
            let changes = reading({ [reader, kind] in try reader.page(answer.body, of: kind) })
        else { return }
        trial.rows = changes.rows.count
        let count = changes.total ?? changes.rows.count
        trial.findings.append(
            "The server reports \(count.grouped) \(count == 1 ? kind.name : kind.plural) as changed within the last day and the overlap."
        )
        let all = page.total ?? (report.page?.verdict == .complete ? page.rows.count : nil)
        if count > 0, count == all {
            trial.findings.append(
                "The list has as many: if not all of them changed, the server ignores the time. Compare \"since\" with the documentation of the API."
            )
        }
    }
}

/// Compares the first page of a list of ids and versions with that of the full list.
struct ThinListComparison {
    /// What the difference means for syncs, as sentences.
    let findings: [String]

    init(of thin: SourcePage, with full: SourcePage) {
        var findings: [String] = []
        let versions = Dictionary(
            full.rows.map { (ExactText($0.id), $0.version) }, uniquingKeysWith: { first, _ in first })
        let shared = thin.rows.filter { versions[ExactText($0.id)] != nil }
        let others = shared.count { versions[ExactText($0.id)] != .some($0.version) }
        if thin.rows.isEmpty {
            findings.append(
                full.rows.isEmpty
                    ? "It is empty, as the full list is."
                    : "It is empty, and the full list is not. Compare \"thin\" with the documentation of the API."
            )
        } else if thin.rows.allSatisfy({ $0.version == nil }) {
            findings.append(
                "Its rows have no versions, so that a sync can't see which objects changed. Add a column \"version\" to \"rows\", and what it is read from to \"thin\"."
            )
        } else if shared.isEmpty {
            findings.append(
                "None of its ids is on the first page of the full list. If the lists have the same order, compare \"thin\" with the documentation of the API."
            )
        } else if others > 0 {
            findings.append(
                "\(others.grouped) of \(shared.count.grouped) versions differ from those of the full list, so that later syncs would read these objects again. Compare \"thin\" with the answer."
            )
        } else {
            findings.append("Its versions are those of the full list.")
        }
        if let total = thin.total, let all = full.total, total != all {
            findings.append(
                "It states a total of \(total.grouped), and the full list one of \(all.grouped): a sync would take the objects that it lacks to be missing."
            )
        }
        self.findings = findings
    }
}

extension SourceCheck.ObjectReport {
    /// How the object differs if it is read from an answer with several objects, as a sentence; `nil` if it doesn't.
    ///
    /// If the version of an object is computed from its contents, a sync would then store it again although nothing changed.
    fileprivate func difference(from other: ReadObject) -> String? {
        guard object.hash != other.hash else { return nil }
        let fields = Set(object.json.members.map(\.key) + other.json.members.map(\.key)).filter {
            object.json[$0] != other.json[$0]
        }
        let names = fields.isEmpty ? "" : ": \(SourceCheck.list(fields.sorted()))"
        return
            "The object \(AnswerFault.quoted(object.id)) is read differently there than from \(isFromList ? "the list" : "its own address")\(names)."
    }
}
