import Foundation
import Synchronization

@testable import MirrorSimulation

/// A local server that answers every request with an endless answer.
final class EndlessServer: Sendable {
    enum Endlessness: String, CaseIterable, Sendable {
        /// What doesn't end: a body; a compressed body that grows 159 times; a list that repeats one id; the head's fields.
        case body, bomb, list, head
    }

    let port: Int
    private let listener: LoopbackSocket
    private let endlessness: Endlessness
    private let state = Mutex((sent: 0, requests: 0))

    init(_ endlessness: Endlessness) throws {
        let (socket, port) = try LoopbackSocket.listening()
        (listener, self.port, self.endlessness) = (socket, port, endlessness)
        Thread.detachNewThread { [self] in
            while let client = listener.accepted() {
                Thread.detachNewThread { [self] in
                    // It fails when the client closes the connection.
                    try? answer(client)
                    client.shut()
                }
            }
        }
    }

    /// Bytes that clients received, and the number of requests.
    var counts: (sent: Int, requests: Int) { state.withLock { $0 } }

    func stop() { listener.shut() }

    private func answer(_ client: LoopbackSocket) throws {
        guard try client.readHead() != nil else { return }
        state.withLock { $0.requests += 1 }
        let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        switch endlessness {
        case .body:
            try send(client, "\(ok)\r\n{\"id\":\"", again: String(repeating: "x", count: 100_000))
        case .list:
            try send(client, "\(ok)\r\n[\"w\"", again: String(repeating: ",\"w\"", count: 25_000))
        case .head:
            try send(client, ok, again: "X-More: \(String(repeating: "x", count: 1_000))\r\n")
        case .bomb:
            try send(
                client, Array("\(ok)Content-Encoding: gzip\r\n\r\n".utf8) + Self.gzipBeginning,
                again: Self.gzipZeros)
        }
    }

    private func send(_ client: LoopbackSocket, _ beginning: String, again piece: String) throws {
        try send(client, Array(beginning.utf8), again: Array(piece.utf8))
    }

    private func send(_ client: LoopbackSocket, _ beginning: [UInt8], again piece: [UInt8]) throws {
        try client.write(beginning[...])
        // It ends after 4 GiB, if the client never closes the connection.
        for _ in 0..<(4 << 30) / piece.count {
            try client.write(piece[...])
            state.withLock { $0.sent += piece.count }
        }
    }

    // MARK: - Compressed zeros (RFC 1951, section 3.2.6)

    /// A gzip header, and the beginning of a block with fixed codes: a zero, and 258 further ones. It ends at a byte boundary.
    private static let gzipBeginning: [UInt8] =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        + packed(
            [(0, 1), (1, 2), (0b0000_1100, 8)] + zeros)
    /// 8 × 258 zeros, repeated to a size that is sent in one call.
    private static let gzipZeros = Array(
        repeatElement(packed((0..<8).flatMap { _ in zeros }), count: 5_000).joined())

    /// Length 258, whose eight-bit code begins with its highest bit, and distance 1.
    private static let zeros: [(bits: Int, count: Int)] = [(0b1010_0011, 8), (0, 5)]

    private static func packed(_ pieces: [(bits: Int, count: Int)]) -> [UInt8] {
        var bytes: [UInt8] = [], byte = 0, used = 0
        for piece in pieces {
            for place in 0..<piece.count {
                byte |= (piece.bits >> place & 1) << used
                used += 1
                if used == 8 {
                    bytes.append(UInt8(byte))
                    (byte, used) = (0, 0)
                }
            }
        }
        return bytes
    }
}
