import Catalogue

// Operations: requests as values, with validation before and processing after.
//
// `RequestOperation` defines the order in which its members are called. `JSONOperation` and `DataOperation` add defaults,
// so that a new operation only declares what differs:
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
// `InterceptableSession.send` sends an operation. `request()` returns its request without sending it. `simulate`
// (MirrorTesting) runs it with canned responses, and `FoundationOperation` runs it on an `OperationQueue`.

/// A request with validation before sending and processing of the response.
///
/// Sending works on a copy and calls these members once each, in this order:
/// 1. ``validate()``, ``serialise()``
/// 2. ``endpoint``, ``parameters``, ``method``, ``data``, ``contentType`` (only if there is data)
/// 3. ``processResponse(_:)``, when the response has arrived
/// 4. ``completion(_:)``
///
/// If validating or serialising throws, nothing is sent and ``completion(_:)`` gets the error. The other members are read
/// after `contentType` and must have no side effects.
public protocol RequestOperation: Sendable {
    /// The result of the operation.
    associatedtype Output: Sendable

    /// Throws if the operation isn't valid and must not be sent. Default: always valid.
    func validate() throws
    /// Prepares ``data``; may throw. Default: does nothing.
    mutating func serialise() throws
    /// The address of the request.
    var endpoint: Request.Target { get }
    /// Query items without percent-encoding, which are added to those of the endpoint. Default: none.
    var parameters: [(name: String, value: String)] { get }
    /// The HTTP method. Default `GET`.
    var method: String { get }
    /// The body. Default: none.
    var data: [UInt8]? { get }
    /// The media type of the body; only read if there is ``data``. Default `application/json`.
    var contentType: String? { get }

    /// Additional header fields. Default: none.
    var headers: HeaderFields { get }
    /// The ETag of the caller's copy; makes a `GET` conditional. Default: none.
    var knownETag: String? { get }
    /// How the cache is used. Default: a fresh entry may answer.
    var cache: Request.CacheUse { get }
    /// Whether the request may be repeated. `nil`, the default: decided by the method.
    var isIdempotent: Bool? { get }
    /// The limits of time and size. `nil`, the default: the session's.
    var limits: TransferLimits? { get }
    /// How received bytes are counted in ``SessionStatistics``. Default: as JSON.
    var kind: Request.Kind { get }
    /// Whether redirects may lead to other public hosts. Default: only within the origin.
    var mayLeaveOrigin: Bool { get }
    /// Whether the session may delay and repeat the request. Default: `true`.
    var mayWait: Bool { get }
    /// Whether an answer may mean that the service has ended. Default: `true`.
    ///
    /// `false` for the request of one object, whose 410 only means that this object is gone.
    var mayEndService: Bool { get }

    /// Converts a 2xx response, or the confirmation that the caller's copy is current, to the output.
    ///
    /// It isn't called for any other status, which completes the operation with an ``HTTPError``.
    func processResponse(_ fetched: Fetched) throws -> Output
    /// Called once with the result, before it is returned to the sender. Default: does nothing.
    func completion(_ result: Result<Output, any Error>)
}

extension RequestOperation {
    /// Always valid.
    public func validate() throws {}
    /// Does nothing.
    public mutating func serialise() throws {}
    /// None.
    public var parameters: [(name: String, value: String)] { [] }
    /// `GET`.
    public var method: String { "GET" }
    /// None.
    public var data: [UInt8]? { nil }
    /// `application/json`.
    public var contentType: String? { "application/json" }
    /// None.
    public var headers: HeaderFields { [:] }
    /// None.
    public var knownETag: String? { nil }
    /// A fresh entry may answer.
    public var cache: Request.CacheUse { .use }
    /// Decided by the method.
    public var isIdempotent: Bool? { nil }
    /// The session's.
    public var limits: TransferLimits? { nil }
    /// JSON.
    public var kind: Request.Kind { .json }
    /// Only within the origin.
    public var mayLeaveOrigin: Bool { false }
    /// The session may delay and repeat the request.
    public var mayWait: Bool { true }
    /// An answer may mean that the service has ended.
    public var mayEndService: Bool { true }
    /// Does nothing.
    public func completion(_ result: Result<Output, any Error>) {}

    /// The request that the session would send; nothing is sent.
    ///
    /// - Throws: Errors of ``validate()`` and ``serialise()``.
    public func request() throws -> Request {
        var copy = self
        return try copy.prepared()
    }

    /// Validates, serialises and builds the request, in the guaranteed order.
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
        request.mayEndService = mayEndService
        return request
    }

    /// Runs the operation: prepares the request, passes it to `exchange`, processes the response, and completes.
    ///
    /// - Parameter exchange: Sends the request; gets the known ETag too.
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
    /// Sends an operation and returns its output.
    ///
    /// - Throws: Errors of validating, serialising or processing; ``HTTPError``, also for any status that isn't 2xx;
    ///   `CancellationError`.
    public func send<Sent: RequestOperation>(_ operation: Sent) async throws -> Sent.Output {
        try await operation.run { try await self.fetch($0, known: $1) }
    }
}

extension Request.Target {
    /// The target with percent-encoded query items added, and the query sorted by name, as in canonical URLs.
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
        // The sort is stable, so items of equal name keep their order.
        items.sort { a, b in a.prefix { $0 != "=" } < b.prefix { $0 != "=" } }
        return "\(path)?\(items.joined(separator: "&"))"
    }
}
