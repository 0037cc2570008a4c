import Foundation
import Synchronization

/// One download on its way to its temporary file, over as many attempts as it takes.
///
/// It says before each attempt what to ask for (a range, once it has something), and takes the bodies in.
final class MediaDownload: BodySink {
    private struct State: ~Copyable {
        var file: PartialFile
        var note: MediaResume?
        /// The whole length, as far as the server told.
        var total: Int?
        var etag: String?
        var lastModified: String?
        /// Whether the attempt under way asked for a range.
        var askedRange = false
        /// Whether the server may send it coded, as it did so unasked: then it is decoded, and a break starts it over.
        var isDecoded = false
    }

    /// A 206 that doesn't go on where it was asked to.
    struct RangeMismatch: Error {}
    /// What was asked for as it is came in a coding.
    struct CodedUnasked: Error {}

    let path: String
    private let address: WebAddress
    private let known: String?
    private let state: Mutex<State>

    /// Opens the file and takes up what an earlier call left, if its validator was noted for this address.
    init(path: String, address: WebAddress, known: String?) throws {
        self.path = path
        self.address = address
        self.known = known
        var file = try PartialFile(path: path)
        let note = MediaResume.read(beside: path, for: address)
        if note != nil { try file.takeUp() } else { try file.startOver() }
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
            // A transport that was let decode it has taken the field away.
            if BodyCoding(head) != .none { throw CodedUnasked() }
            if response.status == 206 {
                // Several parts with their own heads are none that was asked for.
                guard state.askedRange, head["Content-Type"]?.lowercased().hasPrefix("multipart/") != true,
                    let content = ContentRange(head["Content-Range"]),
                    let range = content.range, range.lowerBound == state.file.length,
                    Self.agree(head["ETag"], state.note?.etag),
                    Self.agree(head["Last-Modified"], state.note?.lastModified),
                    Self.agree(content.total, state.total)
                else { throw RangeMismatch() }
                // Without the whole length, what is promised goes to the end of this part.
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

    /// Whether what was announced has not all come.
    var isShort: Bool { state.withLock { state in state.total.map { state.file.length < $0 } ?? false } }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { try $0.file.append(bytes) }
    }

    /// What the server thinks of a range that it could not satisfy: whether the file is whole already.
    func isWhole(_ answer: HeaderFields) -> Bool {
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

    /// Forgets what there is; the next attempt lets the server code it, and has it decoded.
    ///
    /// - Throws: ``HTTPError`` if that was tried.
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

    /// Forgets what there is; the next attempt asks for the whole.
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

    /// Checks the whole file and puts it on the disk.
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

    /// Removes the temporary file and its note.
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
    /// Parts that brought next to nothing.
    private var crumbs = 0

    /// A part of fewer bytes is a crumb; this many crumbs are accepted.
    private static let crumb = 16_384, patience = 64

    init(length: Int) { best = length }

    /// Whether too many parts brought next to nothing: a file of megabytes would take thousands of requests.
    var isCrumbs: Bool { crumbs > Self.patience }

    /// Takes in how far it is now.
    ///
    /// - Returns: whether that is further than ever before, and enough to go on.
    mutating func advances(to length: Int) -> Bool {
        guard length > best else { return false }
        if length - best < Self.crumb { crumbs += 1 }
        best = length
        return !isCrumbs
    }
}
