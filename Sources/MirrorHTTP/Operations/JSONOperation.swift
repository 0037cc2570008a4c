import Foundation

/// An operation whose response is JSON. A `Decodable` output is decoded by default.
public protocol JSONOperation: RequestOperation {
    /// Decodes the body of a 2xx response. Default, for a `Decodable` output: `JSONDecoder`.
    func decode(_ body: [UInt8], _ head: ResponseHead) throws -> Output
    /// Returns the output when the caller's copy with ``RequestOperation/knownETag`` is current.
    ///
    /// Default: throws, as an operation without a known ETag never gets this result.
    func confirmed(_ head: ResponseHead) throws -> Output
}

extension JSONOperation {
    /// `Accept: application/json`.
    public var headers: HeaderFields { .acceptingJSON }

    /// Throws ``HTTPError`` with code `badResponse`.
    public func confirmed(_ head: ResponseHead) throws -> Output {
        throw HTTPError(.badResponse, "The server sent a response without the expected content. Try again.")
    }

    /// Calls ``decode(_:_:)`` with the body, or ``confirmed(_:)``.
    ///
    /// - Throws: ``HTTPError`` with code `notJSON` for any error of decoding that isn't an ``HTTPError``.
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
    /// Decodes the output with `JSONDecoder`.
    public func decode(_ body: [UInt8], _ head: ResponseHead) throws -> Output {
        try JSONDecoder().decode(Output.self, from: Data(body))
    }
}

/// An operation whose output is the response itself.
///
/// The output is a ``Response`` by default. If the caller has a copy, use ``Fetched``, which shows whether the copy is current.
public protocol DataOperation: RequestOperation {
    associatedtype Output = Response
}

extension DataOperation where Output == Response {
    /// The response; if the caller's copy is current, its head without a body.
    public func processResponse(_ fetched: Fetched) throws -> Response {
        if case .body(let response) = fetched { response } else { Response(head: fetched.head) }
    }
}

extension DataOperation where Output == Fetched {
    /// The result of the request, unchanged.
    public func processResponse(_ fetched: Fetched) throws -> Fetched { fetched }
}

extension HeaderFields {
    /// The header fields of most requests, created once.
    package static let acceptingJSON: HeaderFields = ["Accept": "application/json"]
}

/// Errors for bodies that can't be decoded.
package enum JSONBody {
    /// The error for a body that isn't the expected JSON.
    ///
    /// - Parameter subject: The requested thing, for the message: `list of artworks`. Default: the response.
    package static func problem(_ response: Response, of subject: String? = nil, cause: any Error)
        -> HTTPError
    {
        let isMarkup = response.isMarkup
        var error =
            if isMarkup {
                HTTPError(
                    .notJSON,
                    "The server answered \(subject.map { "the request for its \($0) " } ?? "")with a web page instead of JSON. Check that the address is that of its API. A firewall may also answer so: then try again later.",
                    cause: cause, status: response.status)
            } else {
                HTTPError(
                    .notJSON,
                    "The server's \(subject ?? "answer") isn't the expected JSON. Report it to the server's owner.",
                    cause: cause)
            }
        error.isMarkup = isMarkup
        return error
    }
}
