import Foundation
import MirrorHTTP
import Synchronization

/// A transport that changes the server's answers before the mirror gets them.
final class TamperingTransport: Transport {
    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    typealias Tamper = @Sendable (TransportRequest, Result<Answer, any Error>) throws -> Answer

    private let inner: any Transport
    private let tamper: Tamper

    /// - Parameter tamper: returns the answer that the mirror gets, for a request and the server's answer or error.
    init(_ inner: any Transport, tamper: @escaping Tamper) {
        self.inner = inner
        self.tamper = tamper
    }

    func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        let received = Received()
        var head = TransportResponse(status: 200, headers: [:])
        let result: Result<Answer, any Error>
        do {
            head = try await inner.send(request, into: received)
            result = .success(Answer(status: head.status, body: received.bytes))
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(error)
        }
        let answer = try tamper(request, result)
        head.status = answer.status
        try sink.begin(head)
        try answer.body.withUnsafeBytes { if !$0.isEmpty { try sink.receive($0) } }
        return head
    }

    private final class Received: BodySink {
        private let body = Mutex<[UInt8]>([])
        var bytes: [UInt8] { body.withLock { $0 } }

        func begin(_ response: TransportResponse) throws {}
        func receive(_ bytes: UnsafeRawBufferPointer) throws { body.withLock { $0 += Array(bytes) } }
    }
}
