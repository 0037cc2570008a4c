import Catalogue
import Foundation
import Hummingbird

/// Makes the answers to a request, and applies its conditions and ranges.
struct Reply {
    let headers: HTTPFields

    /// JSON with its strong ETag; 304 if the client has this version.
    func json(_ body: String, etag: String) -> Response {
        json(ListBody(buffer: ByteBuffer(string: body), etag: etag))
    }

    func json(_ body: ListBody) -> Response {
        isCurrent(body.etag) ? notModified(body.etag) : Self.json(.ok, body.buffer, etag: body.etag)
    }

    /// A small JSON body that answers a write.
    static func json(_ status: HTTPResponse.Status, _ body: String, etag: String? = nil) -> Response {
        json(status, ByteBuffer(string: body), etag: etag)
    }

    private static func json(_ status: HTTPResponse.Status, _ body: ByteBuffer, etag: String?) -> Response {
        var fields: HTTPFields = [.contentType: "application/json", .cacheControl: "no-cache"]
        if let etag { fields[.eTag] = etag }
        return Response(status: status, headers: fields, body: .init(byteBuffer: body))
    }

    /// A JSON body that clients may not cache, because it describes the current state.
    static func uncacheable(_ status: HTTPResponse.Status, _ body: String) -> Response {
        var response = json(status, body)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    static func noContent() -> Response { withoutLength(.noContent) }

    /// An answer without `Content-Length`: a 204 must not have it, and that of a 304 would have to be the length of the
    /// omitted body (RFC 9110 section 8.6).
    private static func withoutLength(
        _ status: HTTPResponse.Status, _ headers: HTTPFields = [:]
    ) -> Response {
        var response = Response(status: status, headers: headers)
        response.headers[.contentLength] = nil
        return response
    }

    /// A stored file, or the requested range of it.
    func file(_ file: OpenFile, etag: String, type: ServedType) throws -> Response {
        if isCurrent(etag) { return notModified(etag) }
        return try partial(of: file.size, etag, type, body: file.body)
    }

    /// Bytes that are made only if they have to be sent.
    func bytes(etag: String, type: ServedType, make: () -> [UInt8]) throws -> Response {
        if isCurrent(etag) { return notModified(etag) }
        let bytes = make()
        return try partial(of: Int64(bytes.count), etag, type) { range in
            let part = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
            return .init(byteBuffer: ByteBuffer(bytes: part))
        }
    }

    /// Whether the client has this version (`If-None-Match`).
    private func isCurrent(_ etag: String) -> Bool {
        guard let condition = headers[.ifNoneMatch] else { return false }
        return EntityTag.isListedWeakly(etag, in: condition)
    }

    private func notModified(_ etag: String) -> Response {
        Self.withoutLength(.notModified, [.cacheControl: "no-cache", .eTag: etag])
    }

    private func partial(
        of size: Int64, _ etag: String, _ type: ServedType, body: (Range<Int64>) throws -> ResponseBody
    ) throws -> Response {
        let decided = ByteRange.decide(
            range: headers[.range], condition: headers[.ifRange], etag: etag, size: size)
        if decided == .unsatisfiable { throw Refusal.unsatisfiable(size: size) }
        var fields: HTTPFields = [
            .contentType: type.name, .cacheControl: "no-cache", .eTag: etag, .acceptRanges: "bytes",
            .xContentTypeOptions: "nosniff",
        ]
        if !type.isShown { fields[.contentDisposition] = "attachment" }
        guard case .part(let range) = decided else {
            return Response(status: .ok, headers: fields, body: try body(0..<size))
        }
        fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
        return Response(status: .partialContent, headers: fields, body: try body(range))
    }
}

/// The media type with which a stored file is sent.
///
/// The stored type came from another server, and browsers are clients, too. Therefore only types that can't contain scripts
/// may be shown; all others are sent as attachments.
struct ServedType: Hashable {
    let name: String
    let isShown: Bool

    static let jpeg = ServedType("image/jpeg")

    init(_ stored: String?) {
        let essence = (stored ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        isShown = Self.shown.contains(essence)
        name = isShown || essence == "text/html" ? essence : "application/octet-stream"
    }

    /// Whether pages may show a stored file as a picture. Others can contain scripts, or browsers don't know them.
    static func isPicture(_ stored: String?) -> Bool {
        ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(ServedType(stored).name)
    }

    private static let shown: Set<String> = [
        "image/jpeg", "image/png", "image/gif", "image/webp", "image/tiff", "application/pdf", "text/plain",
    ]
}

/// The part of a file to send (RFC 9110 section 14.2, and 13.1.5 for `If-Range`).
enum ByteRange: Hashable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable

    /// Decides which part to send.
    ///
    /// - Parameters:
    ///   - range: the `Range` header. One range of bytes is served. Several ranges, other units and malformed headers are
    ///     ignored, as the RFC permits.
    ///   - condition: the `If-Range` header. The complete file is sent if it isn't exactly `etag`.
    static func decide(range: String?, condition: String?, etag: String, size: Int64) -> ByteRange {
        guard let range, condition == nil || condition == etag else { return .whole }
        guard range.lowercased().hasPrefix("bytes=") else { return .whole }
        let spec = range.dropFirst("bytes=".count)
        let ends = spec.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return .whole }
        switch (first, last) {
        case (nil, nil): return .whole
        case (nil, let count?):
            guard count > 0, size > 0 else { return .unsatisfiable }
            return .part(max(0, size - count)..<size)
        case (let start?, let last):
            if let last, last < start { return .whole }
            guard start < size else { return .unsatisfiable }
            return .part(start..<(last.map { min($0, size - 1) } ?? size - 1) + 1)
        }
    }

    /// Reads a number: `.some(nil)` if it is absent, `nil` if it is malformed. A too large number is clamped.
    private static func number(_ text: Substring) -> Int64?? {
        let text = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .some(Int64(text) ?? Int64.max - 1)
    }
}
