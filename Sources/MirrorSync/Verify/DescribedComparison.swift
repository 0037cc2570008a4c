import Catalogue
import CatalogueSources
import MirrorHTTP
import MirrorStore

/// Compares a mirror of a described source with its server: the lists of the kinds that have one.
///
/// - An object is another one if the list has another version of it. Where a list has neither versions nor objects, only ids are
///   compared.
/// - Objects that are gathered from artworks have no list, so they are not compared.
/// - An object that a complete list lacks is a finding only if the last sync's list had it. Whether it is removed is decided by
///   syncs (``AbsenceRule``). Where nothing is ever removed because of a list, it is no finding.
///
/// It writes only the day's number of requests.
struct DescribedComparison {
    let sync: Sync
    let store: CatalogueStore
    let monitor: VerifyMonitor
    let tally: FindingTally
    let catalogue: DescribedCatalogue

    /// - Throws: ``HTTPError`` if a list was not proven to be complete, after the lists of all kinds were compared.
    func run() async throws -> VerifySummary.Comparison {
        let origin = try Origins(store: store, isNewOrigin: false, caFile: sync.options.caFile).resolve(
            catalogue, for: sync.partner)
        let environment = try await environment(base: origin.base)
        var comparison = VerifySummary.Comparison(), failure: HTTPError?
        comparison.isExact = true
        for kind in store.kinds.listed {
            if let list = environment.described?.description(of: kind)?.list {
                let compared = try await compare(kind, list, environment)
                comparison.objects += compared.objects
                if !compared.isExact { comparison.isExact = false }
                failure = failure ?? compared.problem
            }
            monitor.note { $0.lists += 1 }
        }
        if let failure { throw failure }
        comparison.requests = environment.session.statistics.sent
        try environment.session.settleBudgets()
        if !store.isReadOnly { try origin.rememberCAFile(in: store) }
        return comparison
    }

    private func environment(base: String) async throws -> SyncEnvironment {
        let session = try sync.session(base, nil, catalogue, RequestDays(store)), report = SyncReport()
        session.limitWaits(to: sync.options.maxWait)
        var environment = SyncEnvironment(
            partner: sync.partner, store: store, files: sync.folder.files, sender: session,
            applier: Applier(store: store, run: 0, report: report, now: sync.now), report: report,
            options: sync.options, run: 0, now: sync.now)
        environment.catalogue = catalogue
        environment.identification.leaveOut()
        return try await PartnerStep.known(environment)
    }

    // MARK: - Lists

    /// The result of comparing the list of a kind.
    private struct Compared {
        var objects = 0
        /// Whether each stored object was compared by a version.
        var isExact = true
        /// Why objects that the list lacks could not be found; `nil` if they could.
        var problem: HTTPError?
    }

    private func compare(
        _ kind: Kind, _ list: ListDescription, _ environment: SyncEnvironment
    ) async throws -> Compared {
        guard let source = environment.described else { return Compared() }
        let name = ObjectListing(environment: environment, kind: kind).name
        let crawl = SourceCrawl(environment: environment, source: source, kind: kind, name: name)
        let absent = try store.absent(kind)
        var compared = Compared(), seen = Set<ExactText>(), reason: String?
        for purpose in purposes(of: list, kind) {
            let verdict = try await crawl.read(list, for: purpose) { page, _ in
                let rows = page.rows.filter { !$0.isGone && seen.insert(ExactText($0.id)).inserted }
                try compare(rows, of: page, kind, absent, &compared)
            }.verdict
            if case .incomplete(let why) = verdict { reason = reason ?? why }
        }
        compared.objects = seen.count
        if let reason {
            compared.problem = HTTPError(
                .badResponse,
                "The server's \(name.title) was not proven to be complete, so stored objects that it lacks could not be found. \(reason)"
            )
        } else if source.deletion(of: kind) == .absence, !catalogue.hasFormerSelection {
            try findGone(kind, seen)
        }
        return compared
    }

    private func purposes(of list: ListDescription, _ kind: Kind) -> [ListCrawl.Purpose] {
        let isThin = !list.thin.isEmpty
        guard kind == .artwork, !catalogue.selection.isEmpty else { return [.all(thin: isThin)] }
        return catalogue.selection.map { .selection($0.selection, value: $0.option.value, thin: isThin) }
    }

    /// - Parameter absent: objects that the server didn't have when they were last requested.
    private func compare(
        _ rows: [SourceRow], of page: SourcePage, _ kind: Kind, _ absent: Set<ExactText>,
        _ compared: inout Compared
    ) throws {
        let stored = try store.storedETags(kind, ids: rows.map(\.id))
        for row in rows {
            guard let version = stored[ExactText(row.id)] else {
                if !absent.contains(ExactText(row.id)) { note(.new, kind, row.id) }
                continue
            }
            guard let listed = try self.version(of: row, in: page, kind) else {
                compared.isExact = false
                continue
            }
            if listed != version { note(.changed, kind, row.id) }
        }
    }

    /// The version in a row, or that of the object in it; `nil` if it has neither.
    private func version(of row: SourceRow, in page: SourcePage, _ kind: Kind) throws -> String? {
        if let version = row.version { return version }
        guard row.object != nil else { return nil }
        do {
            return try catalogue.reader.object(of: row, in: page, of: kind).object?.hash
        } catch is SourceReadingError {
            return nil
        }
    }

    private func findGone(_ kind: Kind, _ seen: Set<ExactText>) throws {
        var known = Set<ExactText>(), last = ""
        try store.missing(kind) { known.insert(ExactText($0.summary.id)) }
        while true {
            let ids = try store.acknowledgedIDs(kind, after: last, limit: 1_000)
            guard let end = ids.last else { return }
            last = end
            for id in ids where !seen.contains(ExactText(id)) && !known.contains(ExactText(id)) {
                note(.gone, kind, id)
            }
        }
    }

    private func note(_ what: Finding.What, _ kind: Kind, _ id: String) {
        tally.note(Finding(what, onServer: kind.name, id))
    }
}
