import Catalogue
import Hummingbird

/// Makes answers to one request: its conditions and ranges are decided here, once for everything that is served.
struct Reply {
    let headers: HTTPFields

    /// JSON with its strong ETag; `304` where the client has it.
    func json(_ body: String, etag: String) -> Response {
        if isCurrent(etag) { return notModified(etag) }
        return Self.json(.ok, body, etag: etag)
    }

    func json(_ body: ListBody) -> Response {
        if isCurrent(body.etag) { return notModified(body.etag) }
        return Response(
            status: .ok, headers: Self.jsonFields(body.etag), body: .init(byteBuffer: body.buffer))
    }

    /// A small JSON body that stands for nothing stored: the answer to a write.
    static func json(_ status: HTTPResponse.Status, _ body: String, etag: String? = nil) -> Response {
        Response(
            status: status, headers: jsonFields(etag), body: .init(byteBuffer: ByteBuffer(string: body)))
    }

    /// A small JSON body that says how things are at the moment.
    static func unkept(_ status: HTTPResponse.Status, _ body: String) -> Response {
        var response = json(status, body)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    static func noContent() -> Response {
        var response = Response(status: .noContent)
        // RFC 9110 section 8.6: not in a 204.
        response.headers[.contentLength] = nil
        return response
    }

    /// A stored file, or the part that is asked for.
    func file(_ file: OpenFile, etag: String, type: ServedType) throws -> Response {
        if isCurrent(etag) { return notModified(etag) }
        let range = try range(size: file.size, etag)
        return partial(range, of: file.size, try file.body(range ?? 0..<file.size), etag, type)
    }

    /// Bytes that are made only if they are to be sent.
    func bytes(etag: String, type: ServedType, make: () -> [UInt8]) throws -> Response {
        if isCurrent(etag) { return notModified(etag) }
        let bytes = make()
        let size = Int64(bytes.count)
        let range = try range(size: size, etag)
        let part = bytes[Int(range?.lowerBound ?? 0)..<Int(range?.upperBound ?? size)]
        return partial(range, of: size, .init(byteBuffer: ByteBuffer(bytes: part)), etag, type)
    }

    /// Whether the client has this very version (`If-None-Match`).
    private func isCurrent(_ etag: String) -> Bool {
        guard let condition = headers[.ifNoneMatch] else { return false }
        return EntityTag.isListedWeakly(etag, in: condition)
    }

    private func notModified(_ etag: String) -> Response {
        var response = Response(status: .notModified, headers: [.cacheControl: "no-cache", .eTag: etag])
        // RFC 9110 section 8.6: a 304's length would be that of the body that isn't sent.
        response.headers[.contentLength] = nil
        return response
    }

    private func range(size: Int64, _ etag: String) throws -> Range<Int64>? {
        let asked = headers[.range]
        switch ByteRange.decide(range: asked, condition: headers[.ifRange], etag: etag, size: size) {
        case .whole: return nil
        case .part(let range): return range
        case .unsatisfiable: throw Refusal.unsatisfiable(size: size)
        }
    }

    private func partial(
        _ range: Range<Int64>?, of size: Int64, _ body: ResponseBody, _ etag: String, _ type: ServedType
    ) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = type.name
        fields[.cacheControl] = "no-cache"
        fields[.eTag] = etag
        fields[.acceptRanges] = "bytes"
        fields[.xContentTypeOptions] = "nosniff"
        if !type.isShown { fields[.contentDisposition] = "attachment" }
        if let range { fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)" }
        return Response(status: range == nil ? .ok : .partialContent, headers: fields, body: body)
    }

    private static func jsonFields(_ etag: String?) -> HTTPFields {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-cache"
        if let etag { fields[.eTag] = etag }
        return fields
    }
}

/// The media type under which a stored file is sent.
///
/// It was said by some server, and this one is asked by browsers too: what could hold a script is only ever downloaded.
struct ServedType: Hashable {
    let name: String
    let isShown: Bool

    static let jpeg = ServedType("image/jpeg")

    init(_ stored: String?) {
        let essence = (stored ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        isShown = Self.shown.contains(essence)
        name = isShown || essence == "text/html" ? essence : "application/octet-stream"
    }

    private static let shown: Set<String> = [
        "image/jpeg", "image/png", "image/gif", "image/webp", "image/tiff", "application/pdf", "text/plain",
    ]
}
