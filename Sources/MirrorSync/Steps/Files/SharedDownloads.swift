import Crypto
import Foundation
import MirrorStore
import Synchronization

/// What came of the addresses of files that a run requested: each is requested once, also when it fails or has nothing,
/// however many objects name it. Those that come while it is under way wait for it.
///
/// What is remembered of an address is 40 bytes; the files themselves are looked up in the store. The last few are kept whole,
/// as their rows may not be written yet.
final class SharedDownloads: Sendable {
    enum Outcome: Sendable {
        /// Whether it is one that was here already.
        case file(StoredFile, etag: String?, lastModified: String?, isConfirmed: Bool)
        case unavailable
    }

    private typealias Key = SHA256.Digest

    private struct State {
        /// The first 16 digits of the file's digest; 0 for what the server doesn't have.
        var settled: [Key: UInt64] = [:]
        /// Some of those that were settled last.
        var recent: [Key: Outcome] = [:]
        /// Whether a failed request was the second.
        var failed: [Key: (error: any Error, wasRetried: Bool)] = [:]
        /// Those who wait for the end of a request.
        var underWay: [Key: [AsyncStream<Void>.Continuation]] = [:]

        mutating func remember(_ outcome: Outcome, _ key: Key) {
            switch outcome {
            case .unavailable: settled[key] = 0
            case .file(let file, _, _, _): settled[key] = UInt64(file.hash.prefix(16), radix: 16)
            }
            if recent.count == SharedDownloads.mostRecent { recent = [:] }
            recent[key] = outcome
        }

        /// What the caller has to do about an address.
        mutating func duty(_ key: Key, _ isRetry: Bool) -> Duty {
            if underWay[key] != nil {
                let (end, continuation) = AsyncStream.makeStream(of: Void.self)
                underWay[key]?.append(continuation)
                return .wait(end)
            }
            if let failure = failed[key] {
                guard isRetry, !failure.wasRetried else { return .fail(failure.error) }
                failed[key] = nil
            } else if let outcome = recent[key] {
                return .take(outcome)
            } else if let digits = settled[key] {
                return digits == 0 ? .take(.unavailable) : .find(String(format: "%016llx", digits))
            }
            underWay[key] = []
            return .request
        }
    }

    private enum Duty {
        case request
        case wait(AsyncStream<Void>)
        case take(Outcome)
        case find(String)
        case fail(any Error)
    }

    /// Outcomes that are kept in memory.
    private static let mostRecent = 4_096
    /// Failures that are remembered. Beyond these, a failed address is requested again for each owner that names it.
    private static let mostFailed = 10_000

    private let state = Mutex(State())

    /// Addresses that failed may be requested again: the tree runs again.
    func forgetFailures() { state.withLock { $0.failed = [:] } }

    /// What came of an address, requested now unless it was.
    ///
    /// - Parameters:
    ///   - isRetry: whether a request that failed is made again.
    ///   - find: looks up a stored file by the first digits of its digest; where it finds none, the request is made again.
    /// - Throws: what the request threw, this time or before.
    func outcome(
        of address: String, isRetry: Bool, find: (String) async throws -> StoredFile?,
        request: () async throws -> Outcome
    ) async throws -> Outcome {
        let key = SHA256.hash(data: Array(address.utf8))
        while true {
            try Task.checkCancellation()
            switch state.withLock({ $0.duty(key, isRetry) }) {
            case .take(let outcome): return outcome
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
                    // What was cancelled says nothing of the address.
                    let isOver = !(error is CancellationError) && !Task.isCancelled
                    end(key) { state in
                        guard isOver, state.failed.count < Self.mostFailed else { return }
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
            return state.underWay.removeValue(forKey: key)
        }
        for continuation in waiting ?? [] { continuation.finish() }
    }
}
