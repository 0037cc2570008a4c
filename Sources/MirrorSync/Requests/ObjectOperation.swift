import Catalogue
import MirrorHTTP

/// Requests one JSON object.
///
/// The answer's JSON is parsed once, by this operation. The step that sent it reads the fields, because it reports unreadable
/// ones.
struct ObjectOperation: JSONOperation, FetchOperation {
    typealias Output = ObjectAnswer

    let terms: FetchTerms
    private let read: @Sendable ([UInt8]) throws -> SourceObject

    /// The maximum length of one object's body in bytes: about a hundred times the largest known one. Many bodies are in memory at once.
    static let bodyLimit = 4 << 20

    /// The other parameters are those of ``FetchTerms``.
    ///
    /// - Parameter read: gets the object from a body. Default: the body is the object.
    init(
        _ route: Route, known: String? = nil, cache: Request.CacheUse = .use, bodyLimit: Int? = nil,
        isReload: Bool = false, subject: RequestSubject = .directory,
        read: @escaping @Sendable ([UInt8]) throws -> SourceObject = {
            SourceObject(try ObjectOperation.jsonObject($0))
        }
    ) {
        terms = FetchTerms(
            route, known: known, cache: cache, bodyLimit: bodyLimit, isReload: isReload, subject: subject)
        self.read = read
    }

    var headers: HeaderFields { terms.headers }
    /// A status that ends the service would only mean that this object is gone.
    var mayEndService: Bool { false }

    func decode(_ body: [UInt8], _ head: ResponseHead) throws -> ObjectAnswer {
        try FetchTerms.checkComplete(head)
        return .object(try read(body), head)
    }

    func confirmed(_ head: ResponseHead) -> ObjectAnswer { .current(head) }

    /// - Throws: ``JSONError`` if the body is not JSON; ``HTTPError`` if it is JSON but no object.
    fileprivate static func jsonObject(_ body: [UInt8]) throws -> JSONObject {
        guard case .object(let object) = try JSONValue(parsing: body) else {
            throw HTTPError(.notJSON, "The server answered with JSON that is not an object.")
        }
        return object
    }
}

/// The answer to a request for an object.
enum ObjectAnswer: RequestAnswer {
    /// The stored copy is current.
    case current(ResponseHead)
    case object(SourceObject, ResponseHead)

    var head: ResponseHead {
        switch self {
        case .current(let head), .object(_, let head): head
        }
    }

    var isCurrent: Bool { if case .current = self { true } else { false } }

    /// The object; `nil` if the stored copy is current, or if the answer states that there is no object.
    var json: JSONObject? { if case .object(let found, _) = self { found.json } else { nil } }
}

extension Response {
    /// The body as one JSON object, for answers to writes, which may have another body.
    ///
    /// - Throws: ``HTTPError``, whose message distinguishes a web page from invalid JSON.
    func jsonObject() throws -> JSONObject {
        do {
            return try ObjectOperation.jsonObject(body)
        } catch let error as JSONError {
            throw JSONBody.problem(self, cause: error)
        }
    }
}

extension CatalogueSource {
    /// The version of an object to store.
    ///
    /// Without ETags in lists, the version in the list is preferred, because the next list is compared with it.
    ///
    /// - Parameters:
    ///   - listed: the version in the list.
    ///   - etag: the answer's ETag.
    ///   - own: the version that the answer contains.
    func version(listed: String?, _ etag: String?, _ own: String?) -> String? {
        versionsAreETags ? etag ?? own ?? listed : listed ?? etag ?? own
    }

    /// The part of a stored version that can be sent in a conditional request; `nil` if it isn't an ETag.
    func validator(_ known: String?) -> String? {
        known.flatMap { versionsAreETags || $0.hasFormOfETag ? $0 : nil }
    }

    /// The request for an object, which reads the answer in the source's form. An answer without the object means that it is
    /// absent.
    func operation(
        _ id: String, of kind: Kind, known: String?, cache: Request.CacheUse, isReload: Bool,
        subject: RequestSubject = .directory
    ) -> ObjectOperation? {
        guard let route = object(id, of: kind) else { return nil }
        return ObjectOperation(
            route, known: known, cache: cache, bodyLimit: ObjectOperation.bodyLimit,
            isReload: isReload, subject: subject
        ) { body in
            do {
                return try readObject(body, id: id, of: kind)
            } catch let error as PayloadError {
                throw HTTPError(.notJSON, error.message)
            }
        }
    }
}

extension String {
    /// Whether a version is an ETag, so that it can be sent in a conditional request: `"a"` or `W/"a"`.
    fileprivate var hasFormOfETag: Bool {
        (hasPrefix("\"") || hasPrefix("W/\"")) && hasSuffix("\"") && utf8.count > 2
    }
}

extension Payload {
    /// Reads an object, and ignores unusable fields.
    init(_ json: JSONObject) throws {
        var warnings: [FieldWarning] = []
        try self.init(json, warnings: &warnings)
    }

    /// Reads an object, and reports its unusable fields.
    ///
    /// - Parameter id: the id that was requested; `nil` for an object that is requested without one.
    /// - Throws: ``LastingFailure`` for an object without an id, or under another id than requested.
    static func read(_ json: JSONObject, id: String?, report: SyncReport) throws -> Self {
        var warnings: [FieldWarning] = []
        let body: Self
        do {
            body = try Self(json, warnings: &warnings)
        } catch {
            throw LastingFailure(cause: error)
        }
        guard id == nil || body.id == id else {
            throw LastingFailure(
                cause: SyncError(
                    .badAnswer, "The server answered with another \(Self.kind) than the one requested."))
        }
        report.fields(warnings, of: Self.kind)
        return body
    }
}
