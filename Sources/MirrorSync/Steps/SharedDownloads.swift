import Crypto
import MirrorStore
import Synchronization

/// What came of the addresses of files that a run requested: each is requested once, also when it fails or has nothing,
/// however many objects name it. Those that come while it is under way wait for it.
///
/// What is remembered of an address is 24 bytes; the files themselves are looked up in the store. The last few are kept whole,
/// as their rows may not be written yet.
package final class SharedDownloads: Sendable {
    enum Outcome: Sendable {
        /// Whether it is one that was here already.
        case file(StoredFile, etag: String?, lastModified: String?, isConfirmed: Bool)
        case unavailable
    }

    /// Half of an address's SHA-256.
    private struct Key: Hashable, Sendable {
        let high: UInt64
        let low: UInt64

        init(_ text: String) {
            (high, low) = SHA256.hash(data: Array(text.utf8)).withUnsafeBytes {
                ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        }
    }

    private struct Failure {
        let error: any Error
        var wasRetried: Bool
    }

    private struct State: ~Copyable {
        /// The first 16 digits of the file's digest; 0 for what the server doesn't have, or what a dry run saw.
        var settled: [Key: UInt64] = [:]
        var recent: [Key: Outcome] = [:]
        /// Those in ``recent``, in the order in which they came, around the end.
        var recentKeys: [Key] = []
        /// Where in it the next one goes.
        var oldest = 0
        var failed: [Key: Failure] = [:]
        var underWay: [Key: [Int: CheckedContinuation<Void, Never>]] = [:]
        var waiters = 0

        mutating func remember(_ outcome: Outcome, _ key: Key) {
            switch outcome {
            case .unavailable: settled[key] = 0
            case .file(let file, _, _, _): settled[key] = UInt64(file.hash.prefix(16), radix: 16)
            }
            recent[key] = outcome
            if recentKeys.count < SharedDownloads.mostRecent {
                recentKeys.append(key)
            } else {
                recent[recentKeys[oldest]] = nil
                recentKeys[oldest] = key
                oldest = (oldest + 1) % SharedDownloads.mostRecent
            }
        }
    }

    private enum Duty {
        case request(isRetry: Bool)
        case wait
        case take(Outcome)
        case find(String)
        case fail(any Error)
    }

    /// More than may wait to be written at a time (``Applier``).
    private static let mostRecent = 4_096
    /// Failures that are remembered. Beyond these, a failed address is requested again for each owner that names it.
    private static let mostFailed = 10_000

    private let state = Mutex(State())

    package init() {}

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
        let key = Key(address)
        while true {
            try Task.checkCancellation()
            switch duty(key, isRetry) {
            case .take(let outcome): return outcome
            case .fail(let error): throw error
            case .wait: await waitForEnd(of: key)
            case .find(let digits):
                if let file = try await find(digits) {
                    return .file(file, etag: nil, lastModified: nil, isConfirmed: true)
                }
                state.withLock { $0.settled[key] = nil }
            case .request(let isRetry):
                do {
                    let outcome = try await request()
                    end(key) { $0.remember(outcome, key) }
                    return outcome
                } catch {
                    // What was cancelled says nothing of the address.
                    let isOver = !(error is CancellationError) && !Task.isCancelled
                    end(key) { state in
                        guard isOver, state.failed.count < Self.mostFailed else { return }
                        state.failed[key] = Failure(error: error, wasRetried: isRetry)
                    }
                    throw error
                }
            }
        }
    }

    private func duty(_ key: Key, _ isRetry: Bool) -> Duty {
        state.withLock { state in
            if state.underWay[key] != nil { return .wait }
            if let failure = state.failed[key] {
                guard isRetry, !failure.wasRetried else { return .fail(failure.error) }
                state.failed[key] = nil
                state.underWay[key] = [:]
                return .request(isRetry: true)
            }
            if let outcome = state.recent[key] { return .take(outcome) }
            switch state.settled[key] {
            case 0: return .take(.unavailable)
            case let digits?:
                let text = String(digits, radix: 16)
                return .find(String(repeating: "0", count: 16 - text.count) + text)
            case nil:
                state.underWay[key] = [:]
                return .request(isRetry: isRetry)
            }
        }
    }

    private func end(_ key: Key, _ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            return state.underWay.removeValue(forKey: key)
        }
        for continuation in waiting?.values.map(\.self) ?? [] { continuation.resume() }
    }

    private func waitForEnd(of key: Key) async {
        let number = state.withLock { state in
            state.waiters += 1
            return state.waiters
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A later cancellation finds the continuation here.
                    guard !Task.isCancelled, state.underWay[key] != nil else { return true }
                    state.underWay[key]?[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.underWay[key]?.removeValue(forKey: number) }?.resume()
        }
    }
}
