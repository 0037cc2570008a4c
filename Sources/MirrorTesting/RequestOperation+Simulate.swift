import Foundation
import MirrorHTTP

/// A canned answer for an operation.
public enum SimulatedAnswer: Sendable {
    /// A response of any status. As in a real run, a status other than 2xx leads to an ``MirrorHTTP/HTTPError``.
    case response(status: Int = 200, headers: HeaderFields = [:], body: [UInt8] = [])
    /// A 304: the local copy, whose entity tag the operation knows, is current.
    case current(headers: HeaderFields = [:])
    /// A transfer that fails without a response.
    case transportError(TransportError)

    /// A response of status 200 with text as its body.
    public static func text(_ text: String, headers: HeaderFields = [:]) -> Self {
        .response(headers: headers, body: Array(text.utf8))
    }
}

extension RequestOperation {
    /// Runs the operation without a network.
    ///
    /// It validates and serialises. If both succeed, it processes the canned answer and completes. The order of calls and
    /// the errors are those of a real run.
    ///
    /// - Parameter answer: The server's answer.
    /// - Returns: The operation's output.
    /// - Throws: The error that a real run would throw.
    public func simulate(_ answer: SimulatedAnswer) async throws -> Output {
        try await run { request, _ in
            let place: String =
                switch request.target {
                case .relative(let text), .beside(let text): "http://simulated.invalid\(text)"
                case .absolute(let text): text
                }
            guard let address = WebAddress(place) else {
                throw HTTPError(.invalidAddress, "The operation's endpoint is no web address.")
            }
            switch answer {
            case .transportError(let error):
                throw HTTPError.from(error, at: address)
            case .current(let headers):
                return .current(.notModified, ResponseHead(status: 304, headers: headers))
            case .response(let status, let headers, let body):
                let head = ResponseHead(status: status, headers: headers, receivedBytes: body.count)
                let response = Response(head: head, body: body)
                guard head.isSuccess else { throw HTTPError.from(response, at: address, now: Date()) }
                return .body(response)
            }
        }
    }
}
