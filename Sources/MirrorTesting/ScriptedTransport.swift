import MirrorHTTP
import Synchronization

/// A transport without a network: it answers what a test has written down, and nothing else.
///
/// A request that nobody expected throws and is remembered; ``verify()`` throws for those and for answers that nobody
/// asked for. Call it at the end of every test.
public final class ScriptedTransport: Transport {
    /// Answers anything that no line of the script does; `nil` for a request that isn't expected.
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

    /// Prefixed to the script's relative URLs, without a slash at its end.
    public let base: String
    private let handler: Handler
    private let pieceLength: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - base: The base of the session under test.
    ///   - pieceLength: Bodies are handed over in pieces of at most so many bytes. Default 16 KiB.
    public init(
        base: String = "http://origin.test/api/v1", pieceLength: Int = 16 << 10,
        handler: @escaping Handler = { _ in nil }
    ) {
        self.base = base
        self.pieceLength = pieceLength
        self.handler = handler
    }

    /// Expects that request once for each answer, in their order. A URL is relative to the base, or absolute.
    public func expect(_ method: String = "GET", _ url: String, _ answers: ScriptedAnswer...) {
        state.withLock { $0.once[key(method, url), default: []] += answers }
    }

    /// Answers that request so, however often it comes, once the expected ones are used up.
    public func always(_ method: String = "GET", _ url: String, _ answer: ScriptedAnswer) {
        state.withLock { $0.always[key(method, url)] = answer }
    }

    /// What lies beside the base's `/api/v1`, as an absolute URL.
    public func beside(_ path: String) -> String {
        (base.hasSuffix("/api/v1") ? String(base.dropLast(7)) : base) + path
    }

    /// Every request so far, in the order in which they came.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// Method and relative URL of every request so far: `GET /me`.
    public var lines: [String] { requests.map { "\($0.method) \(relative($0.url))" } }

    /// Throws if anything came that was not expected, or something expected didn't come.
    public func verify() throws {
        let (unexpected, left) = state.withLock { state in
            (
                state.unexpected,
                state.once.filter { !$0.value.isEmpty }.map {
                    "\($0.key.method) \(relative($0.key.url)) × \($0.value.count)"
                }.sorted()
            )
        }
        guard unexpected.isEmpty, left.isEmpty else { throw Surprise(unexpected: unexpected, left: left) }
    }

    /// The script and what happened differ.
    public struct Surprise: Error, CustomStringConvertible {
        public let unexpected: [String]
        public let left: [String]

        public var description: String {
            "not expected: \(unexpected.joined(separator: ", ")); expected, but never asked for: \(left.joined(separator: ", "))"
        }
    }

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
            throw Surprise(unexpected: [line], left: [])
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

    /// A tag without its mark of weakness.
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
