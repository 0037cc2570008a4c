import Foundation
import Synchronization

/// One download to a temporary file, over several attempts.
///
/// Before each attempt it says what to request (a range, once it has some bytes); it writes the bodies to the file.
final class MediaDownload: BodySink {
    private struct State: ~Copyable {
        var file: PartialFile
        var note: MediaResume?
        /// The length of the complete file, if the server has announced one.
        var total: Int?
        var etag: String?
        var lastModified: String?
        /// Whether the attempt under way asked for a range.
        var askedRange = false
        /// Whether the server may send a coding, because it sent one against our request: the transport then decodes it, and a
        /// break starts the download over.
        var isDecoded = false
    }

    /// A 206 whose range isn't the one that was requested.
    struct RangeMismatch: Error {}
    /// The body has a coding although none was accepted.
    struct UnexpectedCoding: Error {}

    let path: String
    private let address: WebAddress
    private let known: String?
    private let state: Mutex<State>

    /// Opens the file and continues what an earlier call left, if a validator for this address was stored.
    init(path: String, address: WebAddress, known: String?) throws {
        self.path = path
        self.address = address
        self.known = known
        var file = try PartialFile(path: path)
        let note = MediaResume.read(beside: path, for: address)
        if note != nil { try file.resume() } else { try file.startOver() }
        self.state = Mutex(State(file: file, note: note))
    }

    var length: Int { state.withLock { $0.file.length } }

    /// The session's ``Destination``.
    func prepare(_ request: inout TransportRequest, hasBegun: Bool) throws -> any BodySink {
        try state.withLock { state in
            // A length and a range of a compressed representation would say nothing about the file.
            request.headers["Accept-Encoding"] = state.isDecoded ? nil : "identity"
            if state.file.length > 0, let validator = state.note?.validator {
                request.headers["Range"] = "bytes=\(state.file.length)-"
                request.headers["If-Range"] = validator
                state.askedRange = true
            } else {
                if state.file.length > 0 { try state.file.startOver() }
                request.headers["If-None-Match"] = known
                state.askedRange = false
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
                // A multipart answer is not the one part that was requested.
                guard state.askedRange, head["Content-Type"]?.lowercased().hasPrefix("multipart/") != true,
                    let content = ContentRange(head["Content-Range"]),
                    let range = content.range, range.lowerBound == state.file.length,
                    Self.agree(head["ETag"], state.note?.etag),
                    Self.agree(head["Last-Modified"], state.note?.lastModified),
                    Self.agree(content.total, state.total)
                else { throw RangeMismatch() }
                // Without a total length, the end of this part is the announced length.
                state.total = content.total ?? state.total ?? range.upperBound + 1
            } else {
                try state.file.startOver()
                state.total = head["Content-Length"].flatMap { Int($0) }
                state.note = state.isDecoded ? nil : MediaResume(address: address, head: head)
                if let note = state.note {
                    try note.write(beside: path)
                } else {
                    try Self.removeIfThere(MediaResume.path(beside: path))
                }
            }
            state.etag = head["ETag"] ?? state.etag ?? state.note?.etag
            state.lastModified = head["Last-Modified"] ?? state.lastModified ?? state.note?.lastModified
        }
    }

    /// Whether two facts about the file don't contradict each other: servers that ignore `If-Range` exist.
    private static func agree<Fact: Equatable>(_ a: Fact?, _ b: Fact?) -> Bool {
        a == nil || b == nil || a == b
    }

    /// Whether bytes are missing to the announced length.
    var isShort: Bool { state.withLock { state in state.total.map { state.file.length < $0 } ?? false } }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { try $0.file.append(bytes) }
    }

    /// Whether a 416 shows that the file is complete already.
    func isComplete(_ answer: HeaderFields) -> Bool {
        state.withLock { state in
            guard let total = ContentRange(answer["Content-Range"])?.total, Self.agree(total, state.total),
                Self.agree(answer["ETag"], state.note?.etag)
            else { return false }
            state.total = total
            state.etag = state.etag ?? state.note?.etag
            state.lastModified = state.lastModified ?? state.note?.lastModified
            return total == state.file.length && state.askedRange
        }
    }

    /// Discards what there is; the next attempt accepts a coding, which the transport decodes.
    ///
    /// - Throws: ``HTTPError`` if that was tried before.
    func startOverDecoded() throws {
        let isSecond = state.withLock { state in
            defer { state.isDecoded = true }
            return state.isDecoded
        }
        guard !isSecond else {
            throw problem(.badResponse, "came in a content coding that was not asked for")
        }
        try startOver()
    }

    /// Discards what there is; the next attempt requests the complete file.
    func startOver() throws {
        try state.withLock { state in
            try state.file.startOver()
            state.note = nil
            state.total = nil
            state.etag = nil
            state.lastModified = nil
        }
        try Self.removeIfThere(MediaResume.path(beside: path))
    }

    /// Checks the complete file and synchronises it to the disk.
    func finish(expecting expected: MediaExpectation) throws -> MediaFile {
        let file = try state.withLock { state in
            let length = state.file.length
            for announced in [state.total, expected.length] {
                if let announced, announced != length {
                    throw problem(.wrongLength, "has \(length) bytes, but \(announced) were announced")
                }
            }
            let (digest, signature) = try state.file.finish()
            if let wanted = expected.digest, wanted != digest {
                throw problem(.wrongDigest, "came with other bytes than its digest promises")
            }
            let type = MediaType(signature: signature)
            if expected.isPicture, !type.isPicture { throw problem(.wrongSignature, "is no picture") }
            return MediaFile(
                path: path, bytes: length, digest: digest, type: type, etag: state.etag,
                lastModified: state.lastModified)
        }
        try Self.removeIfThere(MediaResume.path(beside: path))
        return file
    }

    /// Removes the temporary file and its validator.
    func discard() throws {
        try Self.removeIfThere(path)
        try Self.removeIfThere(MediaResume.path(beside: path))
    }

    private func problem(_ code: HTTPError.Code, _ what: String) -> HTTPError {
        HTTPError(code, "\(address.display) \(what). It is asked for again next time.")
    }

    private static func removeIfThere(_ path: String) throws {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        }
    }
}

/// Decides whether the rest of a download that comes in parts is worth another request.
struct MediaProgress {
    /// The furthest so far, in bytes.
    private var best: Int
    /// How many parts had very few bytes.
    private var smallParts = 0

    /// A part of fewer bytes is a small one; this many small ones are accepted.
    private static let smallPart = 16_384, smallPartLimit = 64

    init(length: Int) { best = length }

    /// Whether too many parts were small: a file of megabytes would take thousands of requests.
    var hasStalled: Bool { smallParts > Self.smallPartLimit }

    /// Records the length after another part.
    ///
    /// - Returns: whether the file has grown enough to continue.
    mutating func advances(to length: Int) -> Bool {
        guard length > best else { return false }
        if length - best < Self.smallPart { smallParts += 1 }
        best = length
        return !hasStalled
    }
}
