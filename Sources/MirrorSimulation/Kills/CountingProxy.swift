import Foundation
import Synchronization

/// A proxy between a mirror and its server on this machine, which records every answer. So what a run fetches is counted
/// independently of the mirror.
///
/// It uses one thread for each connection. Answers are not changed. With `hidesExtensions`, the request for the server's
/// extensions is sent to a path that doesn't exist, and so the server seems to have none.
package final class CountingProxy: Sendable {
    /// An answer that was forwarded completely.
    package struct Answer: Sendable, Hashable {
        package let method: String
        /// The request's path and query.
        package let target: String
        package let status: Int
        package let etag: String?
        package let bodyBytes: Int
    }

    private struct State {
        var upstream: Int
        var hidesExtensions = false
        var answers: [Answer] = []
        var begun = 0
        var isStopped = false
        /// Called when the answer with that number has begun, before it is forwarded.
        var answerHook: (number: Int, action: @Sendable () -> Void)?
    }

    package let port: Int
    private let listener: LoopbackSocket
    private let state: Mutex<State>

    /// Begins to listen.
    ///
    /// - Parameter upstream: the server's port.
    package init(to upstream: Int) throws {
        let (socket, port) = try LoopbackSocket.listening()
        self.port = port
        listener = socket
        state = Mutex(State(upstream: upstream))
        Self.onThread { [self] in acceptAll() }
    }

    /// Sets the server that later requests are forwarded to, and clears the record.
    package func route(to upstream: Int, hidesExtensions: Bool = false) {
        state.withLock { state in
            state.upstream = upstream
            state.hidesExtensions = hidesExtensions
        }
        reset()
    }

    /// Clears the record.
    package func reset() {
        state.withLock { state in
            state.answers = []
            state.begun = 0
            state.answerHook = nil
        }
    }

    /// The answers since the record was cleared.
    package var answers: [Answer] { state.withLock { $0.answers } }

    /// Calls an action once, when the answer with that number (from 1) has begun and nothing of it is forwarded yet.
    package func onAnswer(_ number: Int, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.answerHook = (number, action) }
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        listener.shut()
    }

    private func acceptAll() {
        while let client = listener.accepted() {
            guard !state.withLock({ $0.isStopped }) else { return }
            Self.onThread { [self] in
                // A client that is killed closes its connection at any point. That is expected.
                try? serve(client)
                client.shut()
            }
        }
    }

    private func serve(_ client: LoopbackSocket) throws {
        var server: LoopbackSocket?, port = 0
        while let bytes = try client.readHead() {
            let (upstream, hides) = state.withLock { ($0.upstream, $0.hidesExtensions) }
            var request = MessageHead(bytes)
            let target = request.target
            if hides, target.hasSuffix("/api/v1") { request.target += "/none" }
            if server == nil || port != upstream {
                server = try LoopbackSocket.connected(to: upstream)
                port = upstream
            }
            guard let server else { return }
            try server.write(request.bytes[...])
            try client.read(request.bodyLength ?? 0) { try server.write($0) }
            guard let head = try server.readHead() else { return }
            let answer = MessageHead(head)
            begin()
            try client.write(head[...])
            let sent = try forward(answer, to: request, from: server, to: client)
            let record = Answer(
                method: request.method, target: target, status: answer.status, etag: answer["etag"],
                bodyBytes: sent)
            state.withLock { $0.answers.append(record) }
        }
    }

    private func begin() {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            state.begun += 1
            guard let answerHook = state.answerHook, answerHook.number == state.begun else { return nil }
            state.answerHook = nil
            return answerHook.action
        }
        action?()
    }

    /// - Returns: the number of bytes in the body.
    private func forward(
        _ answer: MessageHead, to request: MessageHead, from server: LoopbackSocket, to client: LoopbackSocket
    ) throws -> Int {
        guard request.method != "HEAD", answer.status != 204, answer.status != 304 else { return 0 }
        guard answer["transfer-encoding"]?.lowercased() == "chunked" else {
            let length = answer.bodyLength ?? 0
            try server.read(length) { try client.write($0) }
            return length
        }
        var sent = 0
        while let line = try server.readLine() {
            try client.write(line)
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 > 0x20 }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size > 0 else { break }
            try server.read(size + 2) { try client.write($0) }
            sent += size
        }
        // Trailers, and the empty line after them.
        while let line = try server.readLine() {
            try client.write(line)
            if line.count <= 2 { break }
        }
        return sent
    }

    private static func onThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread(block: work)
        thread.stackSize = 512 << 10
        thread.start()
    }
}

/// The head of a request or an answer: its first line and its header fields.
private struct MessageHead {
    private(set) var lines: [String]

    init(_ bytes: [UInt8]) {
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    private var words: [Substring] { (lines.first ?? "").split(separator: " ", maxSplits: 2) }
    var method: String { String(words.first ?? "") }
    var status: Int { words.count > 1 ? Int(words[1]) ?? 0 : 0 }

    var target: String {
        get { words.count > 1 ? String(words[1]) : "" }
        set { if words.count > 2 { lines[0] = "\(words[0]) \(newValue) \(words[2])" } }
    }

    var bytes: [UInt8] { Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) }
    var bodyLength: Int? { self["content-length"].flatMap { Int($0) } }

    /// The value of a field, by its lower-case name.
    subscript(name: String) -> String? {
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
            return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }
}
