import Crypto
import Foundation
import MirrorStore
import Synchronization

/// Shares the downloads of one run, so that each URL is requested once for all objects that name it.
///
/// That also holds for URLs whose request failed, or that have no file. Callers that name a URL while it is being requested
/// wait for the outcome.
///
/// A settled URL takes about 40 bytes of memory; its file is looked up in the store. The most recent outcomes are kept in full,
/// because their rows may not be written yet.
final class SharedDownloads: Sendable {
    enum Outcome: Sendable {
        /// `isConfirmed` if the file was already stored.
        case file(StoredFile, etag: String?, lastModified: String?, isConfirmed: Bool)
        case unavailable
    }

    private typealias Key = SHA256.Digest

    private struct State {
        /// The first 16 digits of the digests of files; 0 for a file that the server doesn't have.
        var settled: [Key: UInt64] = [:]
        /// The most recent outcomes.
        var recent: [Key: Outcome] = [:]
        /// The URLs whose request failed; `wasRetried` if that was the second request.
        var failed: [Key: (error: any Error, wasRetried: Bool)] = [:]
        /// The URLs that are being requested, with the callers that wait for the outcome.
        var inProgress: [Key: [AsyncStream<Void>.Continuation]] = [:]

        mutating func remember(_ outcome: Outcome, _ key: Key) {
            switch outcome {
            case .unavailable: settled[key] = 0
            case .file(let file, _, _, _): settled[key] = UInt64(file.hash.prefix(16), radix: 16)
            }
            if recent.count == SharedDownloads.maxRecent { recent = [:] }
            recent[key] = outcome
        }

        /// Decides what the caller has to do for a URL.
        mutating func action(_ key: Key, _ isRetry: Bool) -> Action {
            if inProgress[key] != nil {
                let (end, continuation) = AsyncStream.makeStream(of: Void.self)
                inProgress[key]?.append(continuation)
                return .wait(end)
            }
            if let failure = failed[key] {
                guard isRetry, !failure.wasRetried else { return .fail(failure.error) }
                failed[key] = nil
            } else if let outcome = recent[key] {
                return .use(outcome)
            } else if let digits = settled[key] {
                return digits == 0 ? .use(.unavailable) : .find(String(format: "%016llx", digits))
            }
            inProgress[key] = []
            return .request
        }
    }

    private enum Action {
        case request
        case wait(AsyncStream<Void>)
        case use(Outcome)
        /// Look up the stored file by the first digits of its digest.
        case find(String)
        case fail(any Error)
    }

    /// The most outcomes that are kept in full.
    private static let maxRecent = 4_096
    /// The most failures that are remembered. After these, a failed URL is requested again for each object that names it.
    private static let maxFailed = 10_000

    private let state = Mutex(State())

    /// Forgets failed requests, so that they may be made again: the tree runs again.
    func forgetFailures() { state.withLock { $0.failed = [:] } }

    /// The outcome for a URL, which is requested unless its outcome is known.
    ///
    /// - Parameters:
    ///   - address: a key that identifies the download.
    ///   - isRetry: whether a request that failed is made again.
    ///   - find: looks up a stored file by the first digits of its digest; if it returns `nil`, the request is made again.
    ///   - request: makes the request.
    /// - Throws: the error of the request, whether it was made now or before.
    func outcome(
        of address: String, isRetry: Bool, find: (String) async throws -> StoredFile?,
        request: () async throws -> Outcome
    ) async throws -> Outcome {
        let key = SHA256.hash(data: Array(address.utf8))
        while true {
            try Task.checkCancellation()
            switch state.withLock({ $0.action(key, isRetry) }) {
            case .use(let outcome): return outcome
            case .fail(let error): throw error
            case .wait(let end): for await _ in end {}
            case .find(let digits):
                if let file = try await find(digits) {
                    return .file(file, etag: nil, lastModified: nil, isConfirmed: true)
                }
                state.withLock { $0.settled[key] = nil }
            case .request:
                do {
                    let outcome = try await request()
                    end(key) { $0.remember(outcome, key) }
                    return outcome
                } catch {
                    // A cancelled request has no outcome: others may still make it.
                    let wasAnswered = !(error is CancellationError) && !Task.isCancelled
                    end(key) { state in
                        guard wasAnswered, state.failed.count < Self.maxFailed else { return }
                        state.failed[key] = (error, isRetry)
                    }
                    throw error
                }
            }
        }
    }

    private func end(_ key: Key, _ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            return state.inProgress.removeValue(forKey: key)
        }
        for continuation in waiting ?? [] { continuation.finish() }
    }
}
