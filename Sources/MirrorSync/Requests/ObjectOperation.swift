import Catalogue
import MirrorHTTP

/// Asks for one JSON object.
///
/// The object is decoded here, once. Its fields are taken by whoever sent this, as which of them could not be taken goes to the
/// run's report.
struct ObjectOperation: JSONOperation, FetchOperation {
    typealias Output = ObjectAnswer

    let terms: FetchTerms
    private let read: @Sendable ([UInt8]) throws -> SourceObject

    /// Bytes of one object's body: some hundred times what the largest have. Many are held, and read, at the same time.
    static let bodyLimit = 4 << 20

    /// The other parameters are those of ``FetchTerms``.
    ///
    /// - Parameter read: finds the object in a body. Default: the body is the object.
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

    func decode(_ body: [UInt8], _ head: ResponseHead) throws -> ObjectAnswer {
        try FetchTerms.checkWhole(head)
        return .object(try read(body), head)
    }

    func confirmed(_ head: ResponseHead) -> ObjectAnswer { .current(head) }

    /// - Throws: ``JSONError``; ``HTTPError`` for JSON that is no object.
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

    /// The object; `nil` if the stored copy is current, or the server says in its answer that there is none.
    var json: JSONObject? { if case .object(let found, _) = self { found.json } else { nil } }
}

extension Response {
    /// The body as one JSON object, where it may be something else: the answer to a write.
    ///
    /// - Throws: ``HTTPError`` with a sentence that tells a web page from broken JSON.
    func jsonObject() throws -> JSONObject {
        do {
            return try ObjectOperation.jsonObject(body)
        } catch let error as JSONError {
            throw JSONBody.problem(self, cause: error)
        }
    }
}
