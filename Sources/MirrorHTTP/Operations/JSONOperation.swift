import Foundation

/// An operation whose answer is JSON. If its output is `Decodable`, decoding needs no code.
public protocol JSONOperation: RequestOperation {
    /// Makes the output of a 2xx body. Default, for a `Decodable` output: `JSONDecoder`.
    func decode(_ body: [UInt8], _ head: ResponseHead) throws -> Output
    /// Makes the output when the copy made from ``RequestOperation/knownETag`` is current. Default: throws, as an
    /// operation that knows no entity tag never gets such an answer.
    func confirmed(_ head: ResponseHead) throws -> Output
}

extension JSONOperation {
    public var headers: HeaderFields { .acceptingJSON }

    public func confirmed(_ head: ResponseHead) throws -> Output {
        throw HTTPError(.badResponse, "The server answered without content where content was due. Try again.")
    }

    /// Hands the body to ``decode(_:_:)``; what isn't JSON at all is reported as that.
    public func processResponse(_ fetched: Fetched) throws -> Output {
        switch fetched {
        case .current(_, let head):
            return try confirmed(head)
        case .body(let response):
            do {
                return try decode(response.body, response.head)
            } catch let error as HTTPError {
                throw error
            } catch {
                throw JSONBody.problem(response, cause: error)
            }
        }
    }
}

extension JSONOperation where Output: Decodable {
    public func decode(_ body: [UInt8], _ head: ResponseHead) throws -> Output {
        try JSONDecoder().decode(Output.self, from: Data(body))
    }
}

/// An operation that takes its answer's bytes as they are: as a ``Response``, or, where the caller holds a copy, as ``Fetched``,
/// which says whether that copy is current.
public protocol DataOperation: RequestOperation {
    associatedtype Output = Response
}

extension DataOperation where Output == Response {
    /// The response; for a current copy its head, without a body.
    public func processResponse(_ fetched: Fetched) throws -> Response {
        if case .body(let response) = fetched { response } else { Response(head: fetched.head) }
    }
}

extension DataOperation where Output == Fetched {
    /// What was fetched, as it is.
    public func processResponse(_ fetched: Fetched) throws -> Fetched { fetched }
}

extension HeaderFields {
    /// What most requests send: made once.
    package static let acceptingJSON: HeaderFields = ["Accept": "application/json"]
}

/// Words for bodies that couldn't be decoded.
package enum JSONBody {
    /// - Parameter subject: what was asked for, for the message: `list of artworks`.
    package static func problem(_ response: Response, of subject: String? = nil, cause: any Error)
        -> HTTPError
    {
        let first = response.body.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
        if first == UInt8(ascii: "<") || response.headers["Content-Type"]?.hasPrefix("text/html") == true {
            return HTTPError(
                .notJSON,
                "The server answered \(subject.map { "the request for its \($0) " } ?? "")with a web page, not with JSON. Check that the address is that of its API, which usually ends in /api/v1.",
                cause: cause, status: response.status)
        }
        return HTTPError(
            .notJSON,
            "The server's \(subject ?? "answer") can't be read as the JSON that was expected. Report it to its owner.",
            cause: cause)
    }
}
