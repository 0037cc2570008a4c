import Catalogue

// Operations: requests as values that know how to check themselves, what to send, and what the answer means.
//
// `RequestOperation` fixes the order in which a run asks for its parts; `JSONOperation` and `DataOperation` bring
// defaults, so that a new operation states only what differs:
//
//     struct RenameAlbum: JSONOperation {
//         typealias Output = Album
//         let id: String, name: String
//         var endpoint: Request.Target { .relative("/album/\(id)") }
//         var method: String { "PUT" }
//         var data: [UInt8]?
//         var contentType: String? { "application/json" }
//         func validate() throws { if name.isEmpty { throw InvalidName() } }
//         mutating func serialise() throws { data = Array(try JSONEncoder().encode(["name": name])) }
//     }
//
// An operation is sent by `InterceptableSession.send`, described without sending by `request()`, run on canned
// answers by `simulate` (MirrorTesting), and run on an `OperationQueue` by `FoundationOperation`.

/// A request with its checks before and its processing after.
///
/// A run works on a copy and calls, each once and in this order: ``validate()``, ``serialise()``, ``endpoint``,
/// ``parameters``, ``method``, ``data``, ``contentType`` (only if there is data), then, when the answer is there,
/// ``processResponse(_:)``, and at last ``completion(_:)``. If validating or serialising throws, nothing is sent and
/// ``completion(_:)`` gets the error. The other requirements are read after `contentType` and have no side effects.
public protocol RequestOperation: Sendable {
    associatedtype Output: Sendable

    /// Throws if the operation can't be sent as it is. Default: it can.
    func validate() throws
    /// Prepares ``data``; may throw. Default: nothing.
    mutating func serialise() throws
    var endpoint: Request.Target { get }
    /// Query items, not encoded; they are sorted by name and added to the endpoint's. Default: none.
    var parameters: [(name: String, value: String)] { get }
    /// Default `GET`.
    var method: String { get }
    /// The body. Default: none.
    var data: [UInt8]? { get }
    /// Asked for only if there is ``data``. Default `application/json`.
    var contentType: String? { get }

    /// Header fields of its own. Default: none.
    var headers: HeaderFields { get }
    /// The entity tag that the caller's copy was made from; makes a GET conditional. Default: none.
    var knownETag: String? { get }
    /// Default: a fresh entry may answer.
    var cache: Request.CacheUse { get }
    /// `nil`, the default: by the method.
    var isIdempotent: Bool? { get }
    /// `nil`, the default: the session's.
    var limits: TransferLimits? { get }
    /// What its bytes count as in ``SessionStatistics``. Default: JSON.
    var kind: Request.Kind { get }
    /// Whether redirects may lead to other public hosts. Default: only within the origin.
    var mayLeaveOrigin: Bool { get }
    /// Whether the session may delay and repeat it. Default: it may.
    var mayWait: Bool { get }

    /// Turns a 2xx answer, or the confirmation that the known copy is current, into the output.
    ///
    /// Any other status never gets here: it completes the operation with an ``HTTPError``.
    func processResponse(_ fetched: Fetched) throws -> Output
    /// Called once with the result, before the sender gets it. Default: nothing.
    func completion(_ result: Result<Output, any Error>)
}

extension RequestOperation {
    public func validate() throws {}
    public mutating func serialise() throws {}
    public var parameters: [(name: String, value: String)] { [] }
    public var method: String { "GET" }
    public var data: [UInt8]? { nil }
    public var contentType: String? { "application/json" }
    public var headers: HeaderFields { [:] }
    public var knownETag: String? { nil }
    public var cache: Request.CacheUse { .use }
    public var isIdempotent: Bool? { nil }
    public var limits: TransferLimits? { nil }
    public var kind: Request.Kind { .json }
    public var mayLeaveOrigin: Bool { false }
    public var mayWait: Bool { true }
    public func completion(_ result: Result<Output, any Error>) {}

    /// The request that sending it would send; nothing is sent.
    ///
    /// - Throws: what ``validate()`` or ``serialise()`` throws.
    public func request() throws -> Request {
        var copy = self
        return try copy.prepared()
    }

    /// Validates, serialises and reads the parts of the request, in the guaranteed order.
    package mutating func prepared() throws -> Request {
        try validate()
        try serialise()
        let endpoint = endpoint
        let parameters = parameters
        let method = method
        let data = data
        let contentType = data == nil ? nil : contentType
        var request = Request(
            method: method, endpoint.adding(parameters), headers: headers, body: data,
            contentType: contentType, isIdempotent: isIdempotent, limits: limits, cache: cache, kind: kind,
            mayLeaveOrigin: mayLeaveOrigin)
        request.mayWait = mayWait
        return request
    }

    /// Runs the operation: prepares it, has `exchange` answer, processes, completes.
    package func run(_ exchange: (Request, String?) async throws -> Fetched) async throws -> Output {
        var copy = self
        let result: Result<Output, any Error>
        do {
            let request = try copy.prepared()
            result = .success(try copy.processResponse(try await exchange(request, copy.knownETag)))
        } catch {
            result = .failure(error)
        }
        copy.completion(result)
        return try result.get()
    }
}

extension InterceptableSession {
    /// Sends an operation and returns what it made of the answer.
    ///
    /// - Throws: what validating, serialising or processing threw; ``HTTPError``, for every status that isn't 2xx too;
    ///   `CancellationError`.
    public func send<Sent: RequestOperation>(_ operation: Sent) async throws -> Sent.Output {
        try await operation.run { try await self.fetch($0, known: $1) }
    }
}

extension Request.Target {
    /// With query items added, percent-encoded; the whole query is then sorted by name, as canonical URLs have it.
    package func adding(_ parameters: [(name: String, value: String)]) -> Request.Target {
        guard !parameters.isEmpty else { return self }
        switch self {
        case .relative(let text): return .relative(Self.text(text, adding: parameters))
        case .beside(let text): return .beside(Self.text(text, adding: parameters))
        case .absolute(let text): return .absolute(Self.text(text, adding: parameters))
        }
    }

    private static func text(_ text: String, adding parameters: [(name: String, value: String)]) -> String {
        let path = text.prefix { $0 != "?" }
        var items = text.dropFirst(path.count + 1).split(separator: "&").map(String.init)
        for (name, value) in parameters {
            items.append(FormBody.encode([NameValue(name, value)]))
        }
        // The sort is stable: items of one name keep their order.
        items.sort { a, b in a.prefix { $0 != "=" } < b.prefix { $0 != "=" } }
        return "\(path)?\(items.joined(separator: "&"))"
    }
}
