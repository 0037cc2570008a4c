import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// What is done about a server in trouble: whether it is waited for, how long, and what is abandoned in the end.
extension PullLoop {
    /// What the server offers, and the partner itself. Without these nothing else can go on.
    mutating func discover() async throws -> PullResult {
        let router = Router(partner: environment.partner)
        do {
            environment = try await PartnerStep.identify(environment)
            isIdentified = true
            return .done
        } catch let error where !(error is CancellationError) {
            let request = (error, router.partner().canonicalURL)
            if try await isTrouble([request], .partner) { return .serverInTrouble }
            throw trouble.flatMap { abandoned[$0.url] } ?? error
        }
    }

    mutating func askStatus() async throws -> PullResult {
        defer { firstStatus = nil }
        if firstStatus == nil { firstStatus = try await wait.askStatus() }
        guard let firstStatus, isIdentified || firstStatus != .healthy else { return .healthyAtFirst }
        return firstStatus
    }

    /// Waits. When ``SyncOptions/maxWait`` is used up the run goes on as one that doesn't wait, unless nothing could come of
    /// that: the partner is not known yet, or nobody answers at all.
    mutating func delay(_ kind: RetryDelay.Kind) async throws -> PullResult {
        if try await wait.wait(kind, because: trouble) { return .waited }
        isImpatient = true
        guard isIdentified, trouble?.status != nil || !wait.isSilent else {
            failure = trouble.map { wait.failure(.budgetSpent, of: $0) }
            return .failed
        }
        return .tooLong
    }

    /// Whether the server is waited for because of what failed, and the run then starts over.
    ///
    /// What it isn't waited for any more is abandoned: it is reported with the reason, and everything else goes on.
    ///
    /// - Throws: what ends the run, where waiting would be of no use.
    mutating func isTrouble(_ failed: [(error: any Error, url: String)], _ subject: RetryWorthiness.Subject)
        async throws -> Bool
    {
        let mayWait = RetryWorthiness(hasStatus: true, failsFast: environment.options.failFast)
        let waitable = try requests(failed, subject, mayWait)
        guard !waitable.isEmpty else { return false }
        guard try await hasStatus() else {
            _ = try requests(failed, subject, RetryWorthiness(hasStatus: false))
            return false
        }
        trouble = waitable.first { !failures.isAbandoned($0) } ?? waitable[0]
        if !isImpatient, failures.note(waitable) { return true }
        for request in waitable {
            abandoned[request.url] = wait.failure(isImpatient ? .budgetSpent : .repeated, of: request)
        }
        return false
    }

    /// The failures that the server is waited for.
    private func requests(
        _ failed: [(error: any Error, url: String)], _ subject: RetryWorthiness.Subject,
        _ worthiness: RetryWorthiness
    ) throws -> [FailedRequest] {
        try failed.compactMap { error, url in
            switch worthiness.verdict(on: error, of: subject) {
            case .fails: return nil
            case .waits(let status): return FailedRequest(url: url, status: status)
            case .ends(let error):
                // A list that doesn't come while others do makes the run partial.
                if subject == .list, (error.cause as? HTTPError)?.status == nil { return nil }
                throw error
            }
        }
    }

    /// Whether the server can be asked how it is. Where nothing is known of what it offers, it is asked once.
    private mutating func hasStatus() async throws -> Bool {
        if let known = try environment.offersStatus() { return known }
        if let statusFound { return statusFound }
        firstStatus = try await wait.askStatus()
        statusFound = wait.isStatus
        return wait.isStatus
    }

    /// Whether lists of the tree failed so that the server is waited for. A list under an object may fail by itself,
    /// as when the object has just gone, so that for these only what is plainly the server's trouble counts.
    mutating func isInTrouble(_ outcome: OperationTree.Outcome) async throws -> Bool {
        let lists = outcome.failures.filter { failure in
            guard failure.kind == .list else { return false }
            let isOwn = environment.kinds[failure.node] != nil
            let status = (failure.error as? HTTPError)?.status ?? 0
            return isOwn || status >= 500 || status == 429
        }
        return try await isTrouble(lists.map { ($0.error, $0.list) }, .list)
    }

    // MARK: - Objects

    /// Has the walk end once the server fails one object after the other, if it may be waited for because of that.
    func watchObjects() throws {
        guard !environment.options.failFast, !isImpatient, failures.mayStartOverForObjects,
            try environment.offersStatus() == true
        else { return }
        environment.breaker.arm()
    }

    /// A walk that was ended: what came is stored, and is not asked for again when it starts over.
    mutating func stopped(_ stop: ObjectBreaker.Stop) -> PullResult {
        // A server that fails now and then is not one that fails alike each time.
        failures.noteObjects(isProgress: stop.answered >= ObjectRun.window)
        trouble = stop.request.map { FailedRequest(url: "\($0.path) and other objects", status: $0.status) }
        return .serverInTrouble
    }
}
