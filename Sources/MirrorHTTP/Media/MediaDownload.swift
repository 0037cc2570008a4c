import Foundation
import Synchronization

/// A download to a temporary file, over one or several attempts.
///
/// Before each attempt it adds the header fields for the missing range. It writes the received bytes to the file.
final class MediaDownload: BodySink {
    private struct State: ~Copyable {
        var file: PartialFile
        var resume: MediaResume?
        /// The length of the complete file in bytes, if the server has sent it.
        var total: Int?
        var etag: String?
        var lastModified: String?
        /// Whether the current attempt requests a range.
        var requestedRange = false
        /// Whether the server may use a content coding, because it used one although `identity` was requested.
        ///
        /// The transport then decodes the body, and an interruption starts the download over.
        var isDecoded = false
    }

    /// The range of a 206 isn't the requested one.
    struct RangeMismatch: Error {}
    /// The body has a content coding although `identity` was requested.
    struct UnexpectedCoding: Error {}

    let path: String
    private let address: WebAddress
    private let known: String?
    private let state: Mutex<State>

    /// Opens the file. Continues an earlier download if a validator for this address is stored.
    init(path: String, address: WebAddress, known: String?) throws {
        self.path = path
        self.address = address
        self.known = known
        var file = try PartialFile(path: path)
        let resume = MediaResume.read(beside: path, for: address)
        if resume != nil { try file.resume() } else { try file.startOver() }
        self.state = Mutex(State(file: file, resume: resume))
    }

    var length: Int { state.withLock { $0.file.length } }

    /// Prepares an attempt; this is the session's ``Destination``.
    func prepare(_ request: inout TransportRequest, hasBegun: Bool) throws -> any BodySink {
        try state.withLock { state in
            // The length and ranges of a compressed representation don't apply to the decoded file.
            request.headers["Accept-Encoding"] = state.isDecoded ? nil : "identity"
            if state.file.length > 0, let validator = state.resume?.validator {
                request.headers["Range"] = "bytes=\(state.file.length)-"
                request.headers["If-Range"] = validator
                state.requestedRange = true
            } else {
                if state.file.length > 0 { try state.file.startOver() }
                request.headers["If-None-Match"] = known
                state.requestedRange = false
            }
        }
        return self
    }

    func begin(_ response: TransportResponse) throws {
        try state.withLock { state in
            let head = response.headers
            // A transport that decoded the body has removed the field.
            if BodyCoding(head) != .none { throw UnexpectedCoding() }
            if response.status == 206 {
                // A multipart response isn't the single requested range.
                guard state.requestedRange,
                    head["Content-Type"]?.lowercased().hasPrefix("multipart/") != true,
                    let content = ContentRange(head["Content-Range"]),
                    let range = content.range, range.lowerBound == state.file.length,
                    Self.areConsistent(head["ETag"], state.resume?.etag),
                    Self.areConsistent(head["Last-Modified"], state.resume?.lastModified),
                    Self.areConsistent(content.total, state.total)
                else { throw RangeMismatch() }
                // Without a total length, the end of this range counts as the length.
                state.total = content.total ?? state.total ?? range.upperBound + 1
            } else {
                try state.file.startOver()
                state.total = head["Content-Length"].flatMap { Int($0) }
                state.resume = state.isDecoded ? nil : MediaResume(address: address, head: head)
                if let resume = state.resume {
                    try resume.write(beside: path)
                } else {
                    try Self.removeIfPresent(MediaResume.path(beside: path))
                }
            }
            state.etag = head["ETag"] ?? state.etag ?? state.resume?.etag
            state.lastModified = head["Last-Modified"] ?? state.lastModified ?? state.resume?.lastModified
        }
    }

    /// Whether two values don't contradict each other. This detects servers that ignore `If-Range`.
    private static func areConsistent<Fact: Equatable>(_ a: Fact?, _ b: Fact?) -> Bool {
        a == nil || b == nil || a == b
    }

    /// Whether the file is shorter than the length that the server sent.
    var isShort: Bool { state.withLock { state in state.total.map { state.file.length < $0 } ?? false } }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { try $0.file.append(bytes) }
    }

    /// Whether a 416 shows that the file is already complete.
    func isComplete(_ answer: HeaderFields) -> Bool {
        state.withLock { state in
            guard let total = ContentRange(answer["Content-Range"])?.total,
                Self.areConsistent(total, state.total),
                Self.areConsistent(answer["ETag"], state.resume?.etag)
            else { return false }
            state.total = total
            state.etag = state.etag ?? state.resume?.etag
            state.lastModified = state.lastModified ?? state.resume?.lastModified
            return total == state.file.length && state.requestedRange
        }
    }

    /// Empties the file; the next attempt accepts a content coding, which the transport decodes.
    ///
    /// - Throws: ``HTTPError`` at the second call.
    func startOverDecoded() throws {
        let isSecond = state.withLock { state in
            defer { state.isDecoded = true }
            return state.isDecoded
        }
        guard !isSecond else {
            throw problem(.badResponse, "was sent in a content coding that was not requested")
        }
        try startOver()
    }

    /// Empties the file; the next attempt requests the complete file.
    func startOver() throws {
        try state.withLock { state in
            try state.file.startOver()
            state.resume = nil
            state.total = nil
            state.etag = nil
            state.lastModified = nil
        }
        try Self.removeIfPresent(MediaResume.path(beside: path))
    }

    /// Checks the complete file and syncs it to the disk.
    ///
    /// - Throws: ``HTTPError`` with code `wrongLength`, `wrongDigest` or `wrongSignature`; errors of the file system.
    func finish(expecting expected: MediaExpectation) throws -> MediaFile {
        let file = try state.withLock { state in
            let length = state.file.length
            for announced in [state.total, expected.length] {
                if let announced, announced != length {
                    throw problem(.wrongLength, "has \(length) bytes instead of \(announced)")
                }
            }
            let (digest, signature) = try state.file.finish()
            if let wanted = expected.digest, wanted != digest {
                throw problem(.wrongDigest, "doesn't have the expected SHA-256 digest")
            }
            let type = MediaType(signature: signature)
            if expected.isPicture, !type.isPicture { throw problem(.wrongSignature, "isn't a picture") }
            return MediaFile(
                path: path, bytes: length, digest: digest, type: type, etag: state.etag,
                lastModified: state.lastModified)
        }
        try Self.removeIfPresent(MediaResume.path(beside: path))
        return file
    }

    /// Removes the temporary file and its validator.
    func discard() throws {
        try Self.removeIfPresent(path)
        try Self.removeIfPresent(MediaResume.path(beside: path))
    }

    private func problem(_ code: HTTPError.Code, _ what: String) -> HTTPError {
        HTTPError(code, "\(address.display) \(what). The next sync requests it again.")
    }

    private static func removeIfPresent(_ path: String) throws {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        }
    }
}

/// Decides whether to request the rest of a download that arrives in parts.
struct MediaProgress {
    /// The greatest length so far, in bytes.
    private var greatestLength: Int
    /// The number of parts shorter than `smallPart`.
    private var smallParts = 0

    /// A part shorter than `smallPart` bytes is small; at most `smallPartLimit` small parts are accepted.
    private static let smallPart = 16_384, smallPartLimit = 64

    init(length: Int) { greatestLength = length }

    /// Whether too many parts were small. A file of some megabytes would take thousands of requests.
    var hasStalled: Bool { smallParts > Self.smallPartLimit }

    /// Records the length after another part.
    ///
    /// - Returns: Whether the file has grown, and not too many parts were small.
    mutating func advances(to length: Int) -> Bool {
        guard length > greatestLength else { return false }
        if length - greatestLength < Self.smallPart { smallParts += 1 }
        greatestLength = length
        return !hasStalled
    }
}
