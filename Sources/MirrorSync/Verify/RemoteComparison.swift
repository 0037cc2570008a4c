import Catalogue
import MirrorHTTP
import MirrorStore

/// Compares a mirror with its server, and writes nothing but the mirror's own digest, where the server has one, and which
/// certificate authorities vouch for it, where a file of them was named.
///
/// By the server's digest it is exact for every URL, and one request where both hold the same (``DigestComparison``). Else
/// over `validators` lists it is exact for every object and every list under one, in a request a kind; without, only which
/// objects there are is compared.
struct RemoteComparison {
    let sync: Sync
    let store: CatalogueStore
    let monitor: VerifyMonitor
    let tally: FindingTally

    func run() async throws -> VerifySummary.Comparison {
        let origin = try Origins(store: store, isNewOrigin: false, caFile: sync.options.caFile).settle(
            sync.base, for: sync.partner)
        let comparison = try await comparison(with: origin.base)
        // The server has answered, so that the file is the right one.
        if !store.isReadOnly { try origin.rememberCAFile(in: store) }
        return comparison
    }

    private func comparison(with base: String) async throws -> VerifySummary.Comparison {
        var environment = try environment(base: base)
        var comparison = VerifySummary.Comparison()
        // Before anything else, as one request may tell all.
        if try await compareByDigest(environment, &comparison) { return comparison }
        environment = try await PartnerStep.known(environment)
        comparison.isExact = environment.hasValidators
        try await comparePartner(environment)
        var failure: HTTPError?
        for kind in store.kinds.listed {
            let (objects, problem) = try await compare(kind, environment)
            comparison.objects += objects
            failure = failure ?? problem
            monitor.note { $0.lists += 1 }
        }
        if let failure { throw failure }
        comparison.requests = environment.session.statistics.sent
        return comparison
    }

    /// More requests than that are not sent for the digest: a handful of lists tells it sooner.
    private static let digestLimit = 1_000

    /// - Returns: `false` where the lists have to be compared; the reason is noted.
    private func compareByDigest(
        _ environment: SyncEnvironment, _ comparison: inout VerifySummary.Comparison
    ) async throws -> Bool {
        guard let partner = try store.storedSingle(.partner)?.id else { return false }
        let router = Router(partner: partner)
        let result: DigestComparison.Result
        do {
            let digests = DigestComparison(environment: environment, router: router, limit: Self.digestLimit)
            switch try await digests.run() {
            case .compared(let found): result = found
            case .useless(let why):
                comparison.whyLists = why
                return false
            }
        } catch {
            comparison.whyLists = Self.reason(error)
            if comparison.whyLists == nil { throw error }
            return false
        }
        let differences = DigestDifference.all(
            result.differences, router: router, among: store.kinds, pruned: try store.prunedETags())
        for difference in differences {
            tally.note(
                difference.finding(isHere: try !difference.isHeld && difference.isStored(in: store)))
        }
        monitor.note { $0.lists = $0.listsTotal }
        (comparison.isExact, comparison.isByDigest, comparison.hasMoved) = (true, true, result.hasMoved)
        (comparison.objects, comparison.requests) = (result.held, environment.session.statistics.sent)
        return true
    }

    /// Why a failure of the digest leaves it to the lists; `nil` if it ends the comparison.
    private static func reason(_ error: any Error) -> String? {
        switch error {
        case let error as HTTPError:
            if let status = error.status { return "The server did not give its digest (HTTP \(status))" }
            let isUseless = [.tooLarge, .badResponse, .notJSON].contains(error.code)
            return isUseless ? "The server's digest is of no use" : nil
        case let error as SyncError where error.code == .badAnswer: return "The server's digest is of no use"
        case let error as StoreError where error.code == .readOnly:
            return "The mirror's own digest is out of date, and can't be written"
        default: return nil
        }
    }

    private func environment(base: String) throws -> SyncEnvironment {
        // Without a cache: nothing is kept of what is asked, and nothing that was kept answers.
        let session = try sync.makeSession(base, nil)
        let report = SyncReport()
        return SyncEnvironment(
            partner: sync.partner, store: store, files: sync.folder.files, sender: session,
            applier: Applier(store: store, run: 0, report: report, now: sync.now), report: report,
            options: sync.options, run: 0, now: sync.now)
    }

    private func comparePartner(_ environment: SyncEnvironment) async throws {
        let stored = try store.storedSingle(.partner)
        let asked = ObjectOperation(environment.router.partner(), known: stored?.etag, cache: .bypass)
        guard let partner = try await environment.send(asked).json,
            JSONValue.object(partner).canonicalText != stored?.json
        else { return }
        tally.note(
            Finding(
                what: .changed, kind: "partner", id: environment.partnerID,
                message: "The server has another version of the partner."))
    }

    // MARK: - Lists

    /// - Returns: how many objects the server names, and why its list proves nothing of what it lacks, if it doesn't.
    private func compare(
        _ kind: Kind, _ environment: SyncEnvironment
    ) async throws -> (objects: Int, problem: HTTPError?) {
        let listing = ObjectListing(environment: environment, kind: kind)
        guard case .body(let response) = try await listing.request(known: nil) else {
            // Albums need not be offered: then nothing can be said of them.
            return (0, nil)
        }
        let list = listing.name
        var reader = ListReader(environment, list: list), seen = Set<ExactText>()
        try reader.read(response) { members, _ in try compare(members, kind, &seen) }
        var unusable = reader.unusable
        if reader.isPage {
            seen = []
            let pages = try await listing.pages().pages()
            unusable = pages.unusable
            try compare(pages.entries.map(ListReader.member), kind, &seen)
        }
        guard unusable.isEmpty else {
            let sentence = ListProblem.sentence(list, unusable)
            return (
                seen.count,
                HTTPError(
                    .notJSON,
                    "\(sentence) So what it lacks could not be compared. Report it to its owner.")
            )
        }
        try findGone(kind, seen)
        return (seen.count, nil)
    }

    private func compare(_ members: [ListReader.Member], _ kind: Kind, _ seen: inout Set<ExactText>) throws {
        let ids = members.map(\.id)
        let stored = try store.storedETags(kind, ids: ids)
        let states = kind.lists.isEmpty ? [:] : try store.listsUnder(kind, ids: ids)
        let pruned = kind == .show ? try store.prunedETags() : [:]
        for member in members {
            seen.insert(ExactText(member.id))
            guard let etag = stored[ExactText(member.id)] else {
                if let pruned = pruned[ExactText(member.id)], member.etag == nil || member.etag == pruned {
                    continue
                }
                note(.new, kind, member.id)
                continue
            }
            if let listed = member.etag, listed != etag {
                note(.changed, kind, member.id)
            }
            let lists = try member.lists.map(ObjectTriage.lists) ?? [:]
            for name in kind.lists.map(\.rawValue) {
                guard let listed = lists[name], listed != states[member.id]?[name]?.etag else { continue }
                note(.changed, kind, member.id, list: name)
            }
        }
    }

    private func findGone(_ kind: Kind, _ seen: Set<ExactText>) throws {
        var last = ""
        while true {
            let ids = try store.acknowledgedIDs(kind, after: last, limit: 1_000)
            guard let end = ids.last else { return }
            last = end
            for id in ids where !seen.contains(ExactText(id)) {
                note(.gone, kind, id)
            }
        }
    }

    private func note(_ what: Finding.What, _ kind: Kind, _ id: String, list: String? = nil) {
        tally.note(Finding(what, onServer: kind.name, id, list: list))
    }
}
