import Dispatch
import Foundation

extension InterceptableSession {
    /// Sends an operation whose answer is a picture or document, streamed to a temporary file; a broken download is resumed.
    ///
    /// The operation's parts are asked for in the order that ``RequestOperation`` guarantees. Its ``RequestOperation/processResponse(_:)``
    /// gets the head of the answer that completed the file, without a body.
    ///
    /// Within the call, and after a crash in a later one with the same path and address, a break is followed by a
    /// request for the rest (`Range` with `If-Range`). A 200 for a range, or another entity tag, starts over. The
    /// finished file is synchronised to the disk. Redirects may lead to other public hosts; credentials don't.
    /// Nothing is cached. Memory use doesn't grow with the file.
    ///
    /// - Parameters:
    ///   - operation: Its ``RequestOperation/knownETag`` is that of a copy that the caller holds; its limits are by default the
    ///     session's for media.
    ///   - path: Where the temporary file is made; beside it lies `path.resume` until the file is complete. A broken
    ///     download leaves both; a wrong file removes both. One call at a time for a path.
    ///   - expected: What must hold of the file.
    /// - Throws: what validating, serialising or processing threw; ``HTTPError``; `CancellationError`.
    public func download<Sent: RequestOperation>(
        _ operation: Sent, to path: String, expecting expected: MediaExpectation = MediaExpectation()
    ) async throws -> MediaOutcome {
        var brought: MediaOutcome?
        _ = try await operation.run { request, known in
            let (outcome, head) = try await file(request, to: path, known: known, expecting: expected)
            brought = outcome
            return if case .notModified = outcome {
                .current(.notModified, head)
            } else {
                .body(Response(head: head))
            }
        }
        guard let brought else { preconditionFailure("An operation has run without its exchange.") }
        return brought
    }

    private func file(
        _ request: Request, to path: String, known: String?, expecting expected: MediaExpectation
    ) async throws -> (MediaOutcome, ResponseHead) {
        var request = request
        request.kind = .media
        request.cache = .bypass
        request.mayLeaveOrigin = true
        request.limits = request.limits ?? configuration.mediaLimits
        let address = try address(of: request.target)
        do {
            let download = try await offloadBlocking {
                try MediaDownload(path: path, address: address, known: known)
            }
            do {
                return try await complete(download, for: request, known: known, expecting: expected)
            } catch  where download.length == 0 {
                // There is nothing to resume later.
                try download.discard()
                throw error
            }
        } catch let failure as PartialFile.Failure {
            throw HTTPError(
                .file, "Can't write \(path): \(failure.message). Check the disk's space and permissions.",
                cause: failure)
        } catch let failure as CocoaError {
            throw HTTPError(
                .file, "Can't write beside \(path). Check the disk's space and permissions.", cause: failure)
        }
    }

    /// Sends requests until the file is complete. After a break the rest is requested only if the file has grown, as the retry
    /// interceptor has repeated the request already.
    private func complete(
        _ download: MediaDownload, for request: Request, known: String?, expecting expected: MediaExpectation
    ) async throws -> (MediaOutcome, ResponseHead) {
        var restarts = 0
        var progress = MediaProgress(length: download.length)
        while true {
            do {
                let (response, address) = try await response(for: request, into: download.prepare)
                switch response.status {
                case 206 where download.isShort && progress.advances(to: download.length):
                    // The server gave a part only: request the rest.
                    break
                case 206 where download.isShort && progress.hasStalled:
                    throw HTTPError(
                        .badResponse, "\(address.display) gives its file in pieces of a few bytes.")
                case 200, 203, 206:
                    return (.file(try await checked(download, expected)), response.head)
                case 304 where known != nil:
                    try await offloadBlocking { try download.discard() }
                    return (.notModified(response.head), response.head)
                case 416 where download.isComplete(response.headers):
                    return (.file(try await checked(download, expected)), response.head)
                case 416 where restarts == 0:
                    restarts += 1
                    try await offloadBlocking { try download.startOver() }
                default:
                    throw error(response, address)
                }
            } catch is MediaDownload.RangeMismatch {
                guard restarts == 0 else {
                    throw HTTPError(
                        .badResponse,
                        "\(try address(of: request.target).display) answers with ranges that don't fit.")
                }
                restarts += 1
                try await offloadBlocking { try download.startOver() }
            } catch is MediaDownload.UnexpectedCoding {
                try await offloadBlocking { try download.startOverDecoded() }
            } catch let error as HTTPError
                where error.isWorthRetry && progress.advances(to: download.length)
            {
                // Request the rest.
            }
        }
    }

    private func checked(_ download: MediaDownload, _ expected: MediaExpectation) async throws -> MediaFile {
        do {
            return try await offloadBlocking { try download.finish(expecting: expected) }
        } catch let error as HTTPError {
            try await offloadBlocking { try download.discard() }
            throw error
        }
    }
}

/// Runs work that blocks (hashing a file, synchronising it) off Swift's few cooperative threads.
func offloadBlocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result
{
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
}
