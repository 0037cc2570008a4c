import Dispatch
import Foundation

extension InterceptableSession {
    /// Sends an operation and streams the response body, a picture or a document, to a temporary file.
    ///
    /// The operation's members are called in the order that ``RequestOperation`` guarantees. Its
    /// ``RequestOperation/processResponse(_:)`` gets the head of the response that completed the file, without a body.
    ///
    /// - An interrupted transfer is resumed with a request for the rest (`Range` with `If-Range`): in the same call, or, after
    ///   a crash, in a later call with the same path and address. If the server answers the range with 200 or with another
    ///   ETag, the download starts over.
    /// - The finished file is synced to the disk.
    /// - Redirects may lead to other public hosts, which never get credentials.
    /// - Nothing is cached. Memory use doesn't depend on the size of the file.
    ///
    /// - Parameters:
    ///   - operation: Its ``RequestOperation/knownETag`` is the ETag of the caller's copy. Its limits default to the session's
    ///     ``SessionConfiguration/mediaLimits``.
    ///   - path: The path of the temporary file. `path.resume` exists beside it until the file is complete. An interrupted
    ///     download keeps both files; a file that fails its checks is deleted with its `.resume` file. Only one call at a
    ///     time may use a path.
    ///   - expected: The properties to check of the complete file.
    /// - Throws: Errors of validating, serialising or processing; ``HTTPError``; `CancellationError`.
    public func download<Sent: RequestOperation>(
        _ operation: Sent, to path: String, expecting expected: MediaExpectation = MediaExpectation()
    ) async throws -> MediaOutcome {
        var result: MediaOutcome?
        _ = try await operation.run { request, known in
            let (outcome, head) = try await file(request, to: path, known: known, expecting: expected)
            result = outcome
            return if case .notModified = outcome {
                .current(.notModified, head)
            } else {
                .body(Response(head: head))
            }
        }
        guard let result else { preconditionFailure("The operation returned without an exchange.") }
        return result
    }

    private func file(
        _ request: Request, to path: String, known: String?, expecting expected: MediaExpectation
    ) async throws -> (MediaOutcome, ResponseHead) {
        var request = request
        request.kind = .media
        request.cache = .bypass
        request.mayLeaveOrigin = true
        // A 410 only means that this file is gone.
        request.mayEndService = false
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
                .file,
                "The file \(path) can't be written: \(failure.message). Check the disk's space and permissions.",
                cause: failure)
        } catch let failure as CocoaError {
            throw HTTPError(
                .file,
                "A file beside \(path) can't be written. Check the disk's space and permissions.",
                cause: failure)
        }
    }

    /// Sends requests until the file is complete.
    ///
    /// After an interruption the rest is only requested if the file has grown: the retry interceptor has already repeated
    /// the request.
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
                    // The server sent only a part: request the rest.
                    break
                case 206 where download.isShort && progress.hasStalled:
                    throw HTTPError(
                        .badResponse,
                        "The download of \(address.display) was stopped, because the server sends it in parts of a few bytes. Report it to the server's owner."
                    )
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
                        "The server answered the request for the rest of \(try address(of: request.target).display) with another byte range. Report it to the server's owner."
                    )
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

/// Runs blocking work, such as hashing or syncing a file, on a dispatch queue instead of Swift's cooperative threads.
func offloadBlocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result
{
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
    }
}
