import Foundation
import MirrorHTTP
import Synchronization

/// Stands between a mirror and its server, and changes answers on their way.
final class MeddlingTransport: Transport {
    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    typealias Meddle = @Sendable (TransportRequest, Result<Answer, any Error>) throws -> Answer

    private let inner: any Transport
    private let meddle: Meddle

    /// - Parameter meddle: what the mirror gets instead of what came.
    init(_ inner: any Transport, meddle: @escaping Meddle) {
        self.inner = inner
        self.meddle = meddle
    }

    func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        let received = Received()
        var head = TransportResponse(status: 200, headers: [:])
        let came: Result<Answer, any Error>
        do {
            head = try await inner.send(request, into: received)
            came = .success(Answer(status: head.status, body: received.bytes))
        } catch let error as CancellationError {
            throw error
        } catch {
            came = .failure(error)
        }
        let answer = try meddle(request, came)
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
