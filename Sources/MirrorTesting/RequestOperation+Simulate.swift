import Foundation
import MirrorHTTP

/// A canned answer for an operation.
public enum SimulatedAnswer: Sendable {
    /// Any status: one that isn't 2xx completes the operation with an ``MirrorHTTP/HTTPError``, as in a real run.
    case response(status: Int = 200, headers: HeaderFields = [:], body: [UInt8] = [])
    /// The copy made from the operation's known entity tag is current.
    case current(headers: HeaderFields = [:])
    case transportError(TransportError)

    /// A 200 with text as its body.
    public static func text(_ text: String, headers: HeaderFields = [:]) -> Self {
        .response(headers: headers, body: Array(text.utf8))
    }
}

extension RequestOperation {
    /// Runs the operation without a network: it validates, serialises, and, if that worked, processes the canned
    /// answer and completes, in the order and with the errors of a real run.
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
