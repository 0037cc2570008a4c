import Catalogue
import Crypto
import Foundation
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

    /// Half a digest of an id: enough to know it again, and small however many there are.
    private struct Seen: Hashable {
        let first: UInt64, second: UInt64

        init(_ id: String) {
            (first, second) = SHA256.hash(data: Array(id.utf8)).withUnsafeBytes {
                ($0.load(as: UInt64.self), $0.load(fromByteOffset: 8, as: UInt64.self))
            }
        }
    }

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
        if try await byDigest(environment, &comparison) { return comparison }
        environment = try await PartnerStep.known(environment)
        comparison.isExact = environment.hasValidators
        if try await !isPartnerCurrent(environment) {
            tally.note(
                Finding(
                    .changed, kind: "partner", id: environment.partnerID,
                    message: "The server has another version of the partner."))
        }
        var failure: HTTPError?
        for kind in environment.kinds.listed {
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

    /// Asked before anything else, as one request may tell all.
    ///
    /// - Returns: `false` where the lists have to tell; why, is noted.
    private func byDigest(_ environment: SyncEnvironment, _ comparison: inout VerifySummary.Comparison)
        async throws -> Bool
    {
        guard let partner = try store.storedSingle(.partner)?.id else { return false }
        let environment = environment.identified(as: partner, extensions: [])
        let outcome: DigestComparison.Outcome
        do {
            outcome = try await DigestComparison(environment: environment, limit: Self.digestLimit).run()
        } catch let error as HTTPError where error.status != nil {
            comparison.whyLists = "The server did not give its digest (HTTP \(error.status ?? 0))"
            return false
        } catch let error as HTTPError where [.tooLarge, .badResponse, .notJSON].contains(error.code) {
            comparison.whyLists = "The server's digest is of no use"
            return false
        } catch let error as SyncError where error.code == .badAnswer {
            comparison.whyLists = "The server's digest is of no use"
            return false
        } catch let error as StoreError where error.code == .readOnly {
            comparison.whyLists = "The mirror's own digest is out of date, and can't be written"
            return false
        }
        let result: DigestComparison.Result
        switch outcome {
        case .compared(let found): result = found
        case .notOffered:
            comparison.whyLists = "The server has no digest"
            return false
        case .tooMany:
            comparison.whyLists = "The server differs in too much for its digest"
            return false
        }
        let pruned = try store.prunedETags()
        for difference in DigestDifference.all(result.differences, router: environment.router)
        where !difference.isPruned(pruned) {
            tally.note(
                difference.finding(isHere: try difference.mine == nil && difference.isStored(in: store)))
        }
        monitor.note { $0.lists = $0.listsTotal }
        comparison = VerifySummary.Comparison(
            isExact: true, objects: result.held, requests: environment.session.statistics.sent,
            isByDigest: true, hasMoved: result.hasMoved)
        return true
    }

    private func environment(base: String) throws -> SyncEnvironment {
        // Without a cache: nothing is kept of what is asked, and nothing that was kept answers.
        let session = try sync.makeSession(base, nil)
        let report = SyncReport()
        return SyncEnvironment(
            partner: sync.partner, store: store, files: sync.folder.files, sender: SessionSender(session),
            applier: Applier(store: store, run: 0, report: report, now: sync.now), report: report,
            options: sync.options, run: 0, now: sync.now)
    }

    private func isPartnerCurrent(_ environment: SyncEnvironment) async throws -> Bool {
        let stored = try store.storedSingle(.partner)
        let asked = FetchOperation(environment.router.partner(), known: stored?.etag, cache: .bypass)
        guard case .body(let response) = try await environment.send(asked) else { return true }
        return try JSONValue.object(response.jsonObject()).canonicalText == stored?.json
    }

    // MARK: - Lists

    /// - Returns: how many objects the server names, and why its list proves nothing of what it lacks, if it doesn't.
    private func compare(
        _ kind: Kind, _ environment: SyncEnvironment
    ) async throws -> (objects: Int, problem: HTTPError?) {
        let listing = ObjectListing(environment, kind)
        guard case .body(let response) = try await listing.request(known: nil) else {
            // Albums need not be offered: then nothing can be said of them.
            return (0, nil)
        }
        let list = listing.name
        var reader = ListReader(environment, list: list), seen = Set<Seen>()
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

    private func compare(_ members: [ListReader.Member], _ kind: Kind, _ seen: inout Set<Seen>) throws {
        let ids = members.map(\.id)
        let stored = try store.storedETags(kind, ids: ids)
        let states = kind.lists.map(\.rawValue).isEmpty ? [:] : try store.listsUnder(kind, ids: ids)
        let pruned = kind == .show ? try store.prunedETags() : [:]
        for member in members {
            seen.insert(Seen(member.id))
            guard let etag = stored[ExactText(member.id)] else {
                if let pruned = pruned[ExactText(member.id)], member.etag == nil || member.etag == pruned {
                    continue
                }
                note(.new, kind, member.id, "The server has it, but it is not here.")
                continue
            }
            if let listed = member.etag, listed != etag {
                note(.changed, kind, member.id, "The server has another version of it.")
            }
            let lists = try member.lists.map(ObjectTriage.lists) ?? [:]
            for name in kind.lists.map(\.rawValue) {
                guard let listed = lists[name], listed != states[member.id]?[name]?.etag else { continue }
                note(
                    .changed, kind, member.id, "The server has another list of its \(Finding.members(name)).")
            }
        }
    }

    private func findGone(_ kind: Kind, _ seen: Set<Seen>) throws {
        var last = ""
        while true {
            let ids = try store.acknowledgedIDs(kind, after: last, limit: 1_000)
            guard let end = ids.last else { return }
            last = end
            for id in ids where !seen.contains(Seen(id)) {
                note(.gone, kind, id, "It is here, but the server does not have it.")
            }
        }
    }

    private func note(_ what: Finding.What, _ kind: Kind, _ id: String, _ message: String) {
        tally.note(Finding(what, kind: kind.name, id: id, message: message))
    }
}
