import Foundation
import Synchronization

/// A small HTTP server over raw sockets, which can also misbehave. Its responses are scripted by path.
///
/// It has a thread for each connection. `stop` ends all of them.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        let head: String
        let body: [UInt8]
        /// The number of earlier requests on this connection.
        let earlier: Int

        var line: String { String(head.prefix { $0 != "\r\n" }) }
        var method: String { String(line.prefix { $0 != " " }) }
        var path: String { String(line.split(separator: " ").dropFirst().first ?? "") }
    }

    private struct State {
        var connections = 0
        var requests: [String] = []
        var open: Set<Int32> = []
        var atOnce = 0
        var mostAtOnce = 0
        var isStopped = false
    }

    let port: Int
    private let listener: Int32
    private let state = Mutex(State())
    private let script: @Sendable (Request, Connection) -> Void

    init(_ script: @escaping @Sendable (Request, Connection) -> Void = Script.answer) throws {
        self.script = script
        let listener = try Sockets.listen()
        self.listener = listener.descriptor
        port = listener.port
        Sockets.onThread { [self] in acceptAll() }
    }

    var base: String { "http://127.0.0.1:\(port)" }
    var connections: Int { state.withLock(\.connections) }
    var requestLines: [String] { state.withLock(\.requests) }
    var mostAtOnce: Int { state.withLock(\.mostAtOnce) }

    func stop() {
        let open = state.withLock { state in
            state.isStopped = true
            return state.open
        }
        Sockets.shut(listener)
        for descriptor in open { Sockets.shut(descriptor) }
    }

    private func acceptAll() {
        while let descriptor = Sockets.accept(listener) {
            let goesOn = state.withLock { state in
                state.connections += 1
                state.open.insert(descriptor)
                return !state.isStopped
            }
            guard goesOn else {
                Sockets.close(descriptor)
                break
            }
            Sockets.onThread { [self] in
                serve(Connection(descriptor))
                state.withLock { _ = $0.open.remove(descriptor) }
                Sockets.close(descriptor)
            }
        }
        Sockets.close(listener)
    }

    private func serve(_ connection: Connection) {
        var earlier = 0
        while let request = connection.readRequest(earlier: earlier) {
            state.withLock { state in
                state.requests.append(request.line)
                state.atOnce += 1
                state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            }
            script(request, connection)
            state.withLock { $0.atOnce -= 1 }
            if connection.isClosed { return }
            earlier += 1
        }
    }
}

/// One accepted connection; only used by its own thread.
final class Connection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private(set) var isClosed = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        if !Sockets.send(descriptor, bytes) { isClosed = true }
    }

    /// Accepts no further requests on this connection.
    func close() { isClosed = true }

    /// Closes the connection with a TCP reset.
    func reset() {
        Sockets.resetOnClose(descriptor)
        isClosed = true
    }

    /// Waits until the client has closed the connection.
    func awaitClose() {
        while let bytes = Sockets.receive(descriptor), !bytes.isEmpty {}
        isClosed = true
    }

    func readRequest(earlier: Int) -> LoopbackServer.Request? {
        let end = Array("\r\n\r\n".utf8)
        var length: Int?
        while true {
            if length == nil, let split = buffer.firstRange(of: end) {
                length = split.upperBound
            }
            if let headLength = length {
                let head = String(decoding: buffer[..<headLength], as: UTF8.self)
                let bodyLength =
                    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                if buffer.count >= headLength + bodyLength {
                    let body = Array(buffer[headLength..<(headLength + bodyLength)])
                    buffer.removeFirst(headLength + bodyLength)
                    return LoopbackServer.Request(head: head, body: body, earlier: earlier)
                }
            }
            guard let more = Sockets.receive(descriptor), !more.isEmpty else { return nil }
            buffer += more
            // The first byte of a TLS handshake, which this server doesn't support.
            if buffer.first == 0x16 { return nil }
        }
    }
}
