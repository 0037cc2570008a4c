import Catalogue
import MirrorHTTP
import Synchronization

/// Decides from the failures of objects whether the server itself fails.
///
/// | failed objects | meaning |
/// |---|---|
/// | ``inARow`` (20) consecutive ones | the server fails |
/// | a third of the last ``window`` (100) | the server fails |
/// | fewer | only these objects fail |
///
/// An object failed if the server answered 5xx or not at all. Any other answer, such as 404, shows that the server works.
struct ObjectRun: Sendable, Hashable {
    static let inARow = 20
    static let window = 100

    private var row = 0
    /// Whether each of the last objects failed, up to ``window`` of them.
    private var recent: [Bool] = []
    /// The number of objects that were answered.
    private(set) var answered = 0

    /// Notes the result of an object's request.
    ///
    /// - Returns: whether the server fails.
    mutating func note(failed isFailure: Bool) -> Bool {
        row = isFailure ? row + 1 : 0
        if !isFailure { answered += 1 }
        recent.append(isFailure)
        if recent.count > Self.window { recent.removeFirst() }
        let failed = recent.count(where: \.self)
        return row >= Self.inARow || recent.count == Self.window && failed * 3 >= Self.window
    }
}

/// Ends the run of the tree when ``ObjectRun`` decides that the server fails.
///
/// It counts only while it is armed, by a run that can wait for the server; never in dry runs and feeds.
final class ObjectBreaker: Sendable {
    struct Stop: Sendable {
        /// The request that failed last; `nil` if the walk was not ended.
        var request: FailedRequest?
        /// The number of objects that were answered before.
        var answered = 0
    }

    private struct State {
        var run: ObjectRun?
        var stop = Stop()
    }

    private let state = Mutex(State())

    func arm() { state.withLock { $0 = State(run: ObjectRun()) } }

    /// Stops counting, and returns the result.
    func disarm() -> Stop {
        state.withLock { state in
            defer { state = State() }
            return Stop(request: state.stop.request, answered: state.run?.answered ?? 0)
        }
    }

    /// Sends an object's request, and counts its result. A second attempt in the same walk isn't counted, so that an object
    /// that fails twice counts once.
    ///
    /// - Throws: the error of `send`; ``SyncError`` with `serverTrouble`, which ends the walk.
    func counting<Result>(
        _ route: Route, isRetry: Bool, _ send: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await send()
            if !isRetry { _ = note(nil) }
            return result
        } catch let error as HTTPError {
            let failed =
                error.isServerFailure ? FailedRequest(url: route.canonicalURL, status: error.status) : nil
            guard !isRetry, note(failed) else { throw error }
            throw SyncError(
                .serverTrouble,
                "\(error.message) Too many objects failed in this way, so the sync stopped to ask for the server's status.",
                cause: error)
        }
    }

    private func note(_ failed: FailedRequest?) -> Bool {
        state.withLock { state in
            guard state.run?.note(failed: failed != nil) == true, let failed else { return false }
            state.stop.request = failed
            return true
        }
    }
}

extension HTTPError {
    /// Whether the error is the server's and not the requested object's: a status of 5xx, or no answer.
    var isServerFailure: Bool { status.map { (500...599).contains($0) } ?? isWorthRetry }
}
