import Catalogue
import MirrorHTTP
import MirrorStore

/// Compares a mirror with its server.
///
/// How exact it is depends on the server:
/// - With the extension `digest`, every URL is compared; one request is enough if there are no differences
///   (``DigestComparison``).
/// - With `validators`, every object and every list under one is compared, with one request for each kind.
/// - Otherwise, only the ids of objects are compared.
/// - The lists of a described source are compared with their versions, if they have any (``DescribedComparison``).
///
/// It writes only the mirror's own digest, if the server has one, and the file of certificate authorities, if one was set.
struct RemoteComparison {
    let sync: Sync
    let store: CatalogueStore
    let monitor: VerifyMonitor
    let tally: FindingTally

    func run() async throws -> VerifySummary.Comparison {
        if let catalogue = try sync.described(store) {
            return try await DescribedComparison(
                sync: sync, store: store, monitor: monitor, tally: tally, catalogue: catalogue
            ).run()
        }
        let origin = try Origins(store: store, isNewOrigin: false, caFile: sync.options.caFile).resolve(
            sync.base, for: sync.partner)
        let comparison = try await comparison(with: origin.base)
        // The server's certificate was accepted, so the file of authorities is the right one.
        if !store.isReadOnly { try origin.rememberCAFile(in: store) }
        return comparison
    }

    private func comparison(with base: String) async throws -> VerifySummary.Comparison {
        var environment = try environment(base: base)
        var comparison = VerifySummary.Comparison()
        // This comes first, since one request may be enough.
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

    /// The maximum number of requests for the digest. If more are needed, it is faster to compare the lists.
    private static let digestLimit = 1_000

    /// Compares by the server's digest.
    ///
    /// - Returns: `false` if the lists have to be compared instead; the reason is stored in `comparison`.
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
            case .notComparable(let why):
                comparison.reasonForLists = why
                return false
            }
        } catch {
            comparison.reasonForLists = Self.reason(error)
            if comparison.reasonForLists == nil { throw error }
            return false
        }
        let differences = DigestDifference.all(
            result.differences, router: router, among: store.kinds, pruned: try store.prunedETags())
        for difference in differences {
            tally.note(
                difference.finding(isStored: try !difference.isHeld && difference.isStored(in: store)))
        }
        monitor.note { $0.lists = $0.listsTotal }
        (comparison.isExact, comparison.isByDigest, comparison.changedMeanwhile) = (
            true, true, result.changedMeanwhile
        )
        (comparison.objects, comparison.requests) = (result.held, environment.session.statistics.sent)
        return true
    }

    /// The reason for comparing lists after an error; `nil` if the error ends the comparison.
    private static func reason(_ error: any Error) -> String? {
        switch error {
        case let error as HTTPError:
            if let status = error.status { return "The server did not give its digest (HTTP \(status))" }
            let isUnusable = [.tooLarge, .badResponse, .notJSON].contains(error.code)
            return isUnusable ? "The server's digest is not usable" : nil
        case let error as SyncError where error.code == .badAnswer: return "The server's digest is not usable"
        case let error as StoreError where error.code == .readOnly:
            return "The mirror's own digest is out of date, and can't be written"
        default: return nil
        }
    }

    private func environment(base: String) throws -> SyncEnvironment {
        // No cache: every answer has to come from the server, and none is stored.
        let session = try sync.makeSession(base, nil)
        let report = SyncReport()
        return SyncEnvironment(
            partner: sync.partner, store: store, files: sync.folder.files, sender: session,
            applier: Applier(store: store, run: 0, report: report, now: sync.now), report: report,
            options: sync.options, run: 0, now: sync.now)
    }

    private func comparePartner(_ environment: SyncEnvironment) async throws {
        let stored = try store.storedSingle(.partner)
        let operation = ObjectOperation(environment.router.partner(), known: stored?.etag, cache: .bypass)
        guard let partner = try await environment.send(operation).json,
            JSONValue.object(partner).canonicalText != stored?.json
        else { return }
        tally.note(
            Finding(
                what: .changed, kind: "partner", id: environment.partnerID,
                message: "The server has another version of the partner."))
    }

    // MARK: - Lists

    /// Compares the partner's list of a kind.
    ///
    /// - Returns: the number of listed objects; and an error if the list has unusable elements, so that stored objects that it
    ///   doesn't contain can't be reported as gone.
    private func compare(
        _ kind: Kind, _ environment: SyncEnvironment
    ) async throws -> (objects: Int, problem: HTTPError?) {
        let listing = ObjectListing(environment: environment, kind: kind)
        guard case .body(let response) = try await listing.request(known: nil) else {
            // A server need not offer albums; then they can't be compared.
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
            let message = ListProblem.sentence(list, unusable)
            return (
                seen.count,
                HTTPError(
                    .notJSON,
                    "\(message) So stored objects that are missing from the list could not be found. Report it to the server's owner."
                )
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
