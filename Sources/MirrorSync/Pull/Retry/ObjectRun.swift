import Catalogue
import MirrorHTTP
import Synchronization

/// Tells a server in trouble from objects that fail by themselves: a pure decision.
///
/// | objects that failed | means |
/// |---|---|
/// | ``inARow`` (20), one after the other | the server is in trouble |
/// | a third of the last ``window`` (100) | the server is in trouble |
/// | fewer | these objects failed |
///
/// An object failed if the server answered 5xx or nothing. Any other answer, 404 included, is one of a server that works.
struct ObjectRun: Sendable, Hashable {
    static let inARow = 20
    static let window = 100

    private var row = 0
    /// Whether each of the last ones failed, up to ``window`` of them.
    private var recent: [Bool] = []
    /// How many were answered.
    private(set) var answered = 0

    /// Notes how an object's request ended.
    ///
    /// - Returns: whether the server is in trouble.
    mutating func note(failed isFailure: Bool) -> Bool {
        row = isFailure ? row + 1 : 0
        if !isFailure { answered += 1 }
        recent.append(isFailure)
        if recent.count > Self.window { recent.removeFirst() }
        let failed = recent.count(where: \.self)
        return row >= Self.inARow || recent.count == Self.window && failed * 3 >= Self.window
    }
}

/// Ends the walk of the tree once ``ObjectRun`` says that the server is in trouble. Armed by the run that can wait for it;
/// until then, and in dry runs and feeds, it counts nothing.
final class ObjectBreaker: Sendable {
    struct Stop: Sendable {
        /// What failed last; `nil` if the walk was not ended.
        var request: FailedRequest?
        /// How many objects were answered before.
        var answered = 0
    }

    private struct State {
        var run: ObjectRun?
        var stop = Stop()
    }

    private let state = Mutex(State())

    func arm() { state.withLock { $0 = State(run: ObjectRun()) } }

    /// Ends the counting, and returns what it came to.
    func disarm() -> Stop {
        state.withLock { state in
            defer { state = State() }
            return Stop(request: state.stop.request, answered: state.run?.answered ?? 0)
        }
    }

    /// Sends an object's request, and counts how it ends. A second try in the same walk isn't counted: one object that fails
    /// twice is one.
    ///
    /// - Throws: what sending throws; ``SyncError`` with `serverTrouble`, which ends the walk.
    func counting<Result>(
        _ route: Route, isRetry: Bool, _ send: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await send()
            if !isRetry { _ = note(nil) }
            return result
        } catch let error as HTTPError {
            let failed = error.isOfServer ? FailedRequest(url: route.canonicalURL, status: error.status) : nil
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
    /// Whether the server itself is in trouble: it answered 5xx, or gave no answer.
    var isOfServer: Bool { status.map { (500...599).contains($0) } ?? isWorthRetry }
}
