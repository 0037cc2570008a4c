import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import Synchronization

/// Handling of a failing server: whether the run waits for it, how long, and which requests are abandoned in the end.
extension PullLoop {
    /// Requests the server's extensions and the partner. Nothing else can start without them.
    mutating func discover() async throws -> PullResult {
        let router = Router(partner: environment.partner)
        do {
            let early = Mutex<FeedPosition?>(nil), (isNew, refresh) = (origin.isNew, refresh)
            environment = try await PartnerStep.identify(environment) { environment in
                // Without a stored cursor, the lists may still be replaced by a snapshot that has a cursor of its own.
                guard refresh == nil, !isNew, (try? environment.store.loop(LoopRecord.coreID)?.cursor) != nil
                else { return }
                let position = try? await FeedPosition.beforeLists(
                    environment, isNewOrigin: isNew, refresh: refresh)
                early.withLock { $0 = position }
            }
            earlyPosition = early.withLock { $0 }
            isIdentified = true
            return .done
        } catch let error where !(error is CancellationError) {
            let request = (error, router.partner().canonicalURL)
            if try await shouldStartOver(after: [request], .partner) { return .serverInTrouble }
            throw failedRequest.flatMap { abandoned[$0.url] } ?? error
        }
    }

    /// Requests the server's status, unless it was requested just before.
    mutating func askStatus() async throws -> PullResult {
        defer { firstStatus = nil }
        if firstStatus == nil { firstStatus = try await wait.askStatus() }
        guard let firstStatus, isIdentified || firstStatus != .healthy else { return .healthyAtFirst }
        return firstStatus
    }

    /// Waits before the status is requested again.
    ///
    /// When ``SyncOptions/maxWait`` is used up, the run continues without waits. It fails instead if the partner is not known
    /// yet or the server doesn't answer at all.
    mutating func delay(_ kind: RetryDelay.Kind) async throws -> PullResult {
        if try await wait.wait(kind, because: failedRequest) { return .waited }
        isWaitUsedUp = true
        guard isIdentified, failedRequest?.status != nil || !wait.isUnanswered else {
            failure = failedRequest.map { wait.failure(.budgetSpent, of: $0) }
            return .failed
        }
        return .tooLong
    }

    /// Whether the run waits for the server because of failed requests, and then starts over.
    ///
    /// If not, requests for which it would have waited are abandoned: they are reported with the reason, and everything else
    /// continues.
    ///
    /// - Throws: an error that ends the run because waiting would not help.
    mutating func shouldStartOver(
        after failed: [(error: any Error, url: String)], _ subject: RetryRule.Subject
    ) async throws -> Bool {
        let mayWait = RetryRule(hasStatus: true, failsFast: environment.options.failFast)
        let waitable = try requests(failed, subject, mayWait)
        guard !waitable.isEmpty else { return false }
        guard try await hasStatus() else {
            _ = try requests(failed, subject, RetryRule(hasStatus: false))
            return false
        }
        failedRequest = waitable.first { !failures.isAbandoned($0) } ?? waitable[0]
        if !isWaitUsedUp, failures.note(waitable) { return true }
        for request in waitable {
            abandoned[request.url] = wait.failure(isWaitUsedUp ? .budgetSpent : .repeated, of: request)
        }
        return false
    }

    /// The requests whose failure is a reason to wait for the server.
    private func requests(
        _ failed: [(error: any Error, url: String)], _ subject: RetryRule.Subject,
        _ worthiness: RetryRule
    ) throws -> [FailedRequest] {
        try failed.compactMap { error, url in
            switch worthiness.verdict(on: error, of: subject) {
            case .fails: return nil
            case .waits(let status): return FailedRequest(url: url, status: status)
            case .ends(let error):
                // A list without an answer doesn't end the run: other lists were answered, so the run is partial.
                if subject == .list, (error.cause as? HTTPError)?.status == nil { return nil }
                throw error
            }
        }
    }

    /// Whether the server has the `status` extension. If its extensions aren't known, the status is requested once.
    private mutating func hasStatus() async throws -> Bool {
        if let known = try environment.offersStatus() { return known }
        if let answersStatus { return answersStatus }
        firstStatus = try await wait.askStatus()
        answersStatus = wait.hasDefinedStatus
        return wait.hasDefinedStatus
    }

    /// Whether the run waits for the server because of the tree's failed lists, and then starts over.
    ///
    /// A list under an object may fail for a reason of its own, for example because the object was just deleted. For these
    /// lists, only 5xx and 429 are a reason to wait.
    mutating func shouldStartOver(after outcome: OperationTree.Outcome) async throws -> Bool {
        let lists = outcome.failures.filter { failure in
            guard failure.kind == .list else { return false }
            let isOwn = environment.kinds[failure.node] != nil
            let status = (failure.error as? HTTPError)?.status ?? 0
            return isOwn || status >= 500 || status == 429
        }
        return try await shouldStartOver(after: lists.map { ($0.error, $0.list) }, .list)
    }

    // MARK: - Objects

    /// Lets the breaker end the walk when the server fails object after object, if the run may wait because of that.
    func armBreaker() throws {
        guard !environment.options.failFast, !isWaitUsedUp, failures.mayStartOverForObjects,
            try environment.offersStatus() == true
        else { return }
        environment.breaker.arm()
    }

    /// Handles a walk that the breaker ended. The objects received so far are stored, and the next walk doesn't request them
    /// again.
    mutating func noteStop(_ stop: ObjectBreaker.Stop) -> PullResult {
        // A walk that received many objects before the failures made progress, and doesn't count as stuck.
        failures.noteObjects(isProgress: stop.answered >= ObjectRun.window)
        failedRequest = stop.request.map {
            FailedRequest(url: "\($0.path) and other objects", status: $0.status)
        }
        return .serverInTrouble
    }
}
