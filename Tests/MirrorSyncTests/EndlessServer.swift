import Foundation
import Synchronization

@testable import MirrorSimulation

/// A server on this machine that answers whatever it is asked with something that has no end.
final class EndlessServer: Sendable {
    enum Evil: String, CaseIterable, Sendable {
        /// A body; one that unpacks to 159 times its size; a list of one id; lines of a head.
        case body, bomb, list, head
    }

    let port: Int
    private let listener: LoopbackSocket
    private let evil: Evil
    private let state = Mutex((sent: 0, requests: 0))

    init(_ evil: Evil) throws {
        let (socket, port) = try LoopbackSocket.listening()
        (listener, self.port, self.evil) = (socket, port, evil)
        Thread.detachNewThread { [self] in
            while let client = listener.accepted() {
                Thread.detachNewThread { [self] in
                    // Who has had enough closes.
                    try? answer(client)
                    client.shut()
                }
            }
        }
    }

    /// Bytes that somebody took, and requests that were made.
    var counts: (sent: Int, requests: Int) { state.withLock { $0 } }

    func stop() { listener.shut() }

    private func answer(_ client: LoopbackSocket) throws {
        guard try client.readHead() != nil else { return }
        state.withLock { $0.requests += 1 }
        let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        switch evil {
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
        // An end all the same, should nobody close.
        for _ in 0..<(4 << 30) / piece.count {
            try client.write(piece[...])
            state.withLock { $0.sent += piece.count }
        }
    }

    // MARK: - Packed zeros (RFC 1951, 3.2.6)

    /// A head, and the begin of a block with fixed codes: a zero, and once more 258 of them. It ends with a byte.
    private static let gzipBeginning: [UInt8] =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        + packed(
            [(0, 1), (1, 2), (0b0000_1100, 8)] + zeros)
    /// 258 zeros eight times, as often as it takes to be sent in one call.
    private static let gzipZeros = Array(
        repeatElement(packed((0..<8).flatMap { _ in zeros }), count: 5_000).joined())

    /// Length 258, whose code of eight bits comes with its highest first, and distance 1.
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
