import MirrorHTTP
import Synchronization

/// A transport without a network, which answers requests from a script.
///
/// A request that isn't in the script fails and is recorded. Call ``verify()`` at the end of every test: it throws if
/// there was such a request, or if an expected request wasn't sent.
public final class ScriptedTransport: Transport {
    /// Answers the requests that aren't in the script. Returns nil for a request that isn't expected.
    public typealias Handler = @Sendable (TransportRequest) async throws -> ScriptedAnswer?

    private struct Key: Hashable {
        let method: String
        let url: String
    }

    private struct State {
        var once: [Key: [ScriptedAnswer]] = [:]
        var always: [Key: ScriptedAnswer] = [:]
        var requests: [TransportRequest] = []
        var unexpected: [String] = []
    }

    /// The prefix of the script's relative URLs, without a trailing slash.
    public let base: String
    private let handler: Handler
    private let pieceLength: Int
    private let state = Mutex(State())

    /// Creates a transport with an empty script.
    ///
    /// - Parameters:
    ///   - base: The base URL of the session under test.
    ///   - pieceLength: The largest part of a body that is delivered at once, in bytes. Default: 16 KiB.
    ///   - handler: Answers the requests that aren't in the script. Default: none is answered.
    public init(
        base: String = "http://origin.test/api/v1", pieceLength: Int = 16 << 10,
        handler: @escaping Handler = { _ in nil }
    ) {
        self.base = base
        self.pieceLength = pieceLength
        self.handler = handler
    }

    /// Expects a request once for each answer, in this order.
    ///
    /// - Parameters:
    ///   - method: The request's method. Default: `GET`.
    ///   - url: The request's URL, absolute or relative to the base.
    ///   - answers: The answers.
    public func expect(_ method: String = "GET", _ url: String, _ answers: ScriptedAnswer...) {
        state.withLock { $0.once[key(method, url), default: []] += answers }
    }

    /// Sets the answer to a request, for any number of times. Answers from ``expect(_:_:_:)`` are used first.
    public func always(_ method: String = "GET", _ url: String, _ answer: ScriptedAnswer) {
        state.withLock { $0.always[key(method, url)] = answer }
    }

    /// The absolute URL of a path on the base's server, outside of `/api/v1`.
    public func beside(_ path: String) -> String {
        (base.hasSuffix("/api/v1") ? String(base.dropLast(7)) : base) + path
    }

    /// All requests so far, in order.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// The method and relative URL of each request so far, such as `GET /me`.
    public var lines: [String] { requests.map { "\($0.method) \(relative($0.url))" } }

    /// Throws ``ScriptMismatch`` if a request wasn't expected, or if an expected request wasn't sent.
    public func verify() throws {
        let (unexpected, left) = state.withLock { state in
            (
                state.unexpected,
                state.once.filter { !$0.value.isEmpty }.map {
                    "\($0.key.method) \(relative($0.key.url)) × \($0.value.count)"
                }.sorted()
            )
        }
        guard unexpected.isEmpty, left.isEmpty else {
            throw ScriptMismatch(unexpected: unexpected, left: left)
        }
    }

    /// The requests didn't match the script.
    public struct ScriptMismatch: Error, CustomStringConvertible {
        /// The requests that weren't expected, as method and relative URL.
        public let unexpected: [String]
        /// The expected requests that weren't sent, each with their number.
        public let left: [String]

        /// Both lists, as human-readable text.
        public var description: String {
            "not expected: \(unexpected.joined(separator: ", ")); expected, but not requested: \(left.joined(separator: ", "))"
        }
    }

    /// Answers a request from the script, or with the handler.
    ///
    /// - Throws: ``ScriptMismatch`` for a request that isn't expected; the scripted error for a failure.
    public func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        try Task.checkCancellation()
        let key = Key(method: request.method, url: request.url)
        let scripted: ScriptedAnswer? = state.withLock { state in
            state.requests.append(request)
            if let next = state.once[key]?.first {
                state.once[key]?.removeFirst()
                return next
            }
            return state.always[key]
        }
        let answer: ScriptedAnswer
        if let scripted {
            answer = scripted
        } else if let handled = try await handler(request) {
            answer = handled
        } else {
            let line = "\(request.method) \(relative(request.url))"
            state.withLock { $0.unexpected.append(line) }
            throw ScriptMismatch(unexpected: [line], left: [])
        }
        return try play(answer, for: request, into: sink)
    }

    private func play(_ answer: ScriptedAnswer, for request: TransportRequest, into sink: any BodySink) throws
        -> TransportResponse
    {
        var head = TransportResponse(status: answer.status, headers: answer.headers)
        var body: [UInt8] = []
        var failure: TransportError?
        switch answer.body {
        case .failure(let error): throw error
        case .whole(let bytes): body = bytes
        case .broken(let bytes, let count, let error):
            body = Array(bytes.prefix(count))
            failure = error
        case .conditional(let bytes, let etag):
            let known = request.headers["If-None-Match"].map(Self.tags) ?? []
            if known.contains("*") || known.contains(where: { Self.opaque($0) == Self.opaque(etag) }) {
                head.status = 304
            } else {
                body = bytes
            }
        }
        if request.method == "HEAD" { body = [] }
        try sink.begin(head)
        for start in stride(from: 0, to: body.count, by: pieceLength) {
            try body[start..<min(start + pieceLength, body.count)].withUnsafeBytes(sink.receive)
            guard start + pieceLength <= request.limits.body || body.count <= request.limits.body else {
                throw TransportError(.bodyTooLarge, "scripted body beyond the limit")
            }
        }
        if let failure { throw failure }
        head.receivedBytes = body.count
        return head
    }

    private static func tags(_ field: String) -> [String] {
        field.split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init)
    }

    /// An entity tag without the prefix `W/`, for the weak comparison (RFC 9110 section 8.8.3.2).
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    private func key(_ method: String, _ url: String) -> Key {
        let isAbsolute = url.hasPrefix("http://") || url.hasPrefix("https://")
        return Key(method: method, url: isAbsolute ? url : base + url)
    }

    private func relative(_ url: String) -> String {
        url.hasPrefix(base + "/") || url.hasPrefix(base + "?") || url == base
            ? String(url.dropFirst(base.count)) : url
    }
}
