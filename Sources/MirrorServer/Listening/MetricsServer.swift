import Hummingbird

/// Offers metrics at `/metrics`, on this machine only.
///
/// The text is made for each request. Nothing is secret in it, and nothing can be changed through it.
public struct MetricsServer: Sendable {
    private static let host = "127.0.0.1"
    /// Far more than ask for metrics; what else the process opens is not held up by them.
    private static let connectionLimit = 64
    private let port: Int
    private let responder: MetricsResponder

    /// - Parameters:
    ///   - port: 0 takes a free one.
    ///   - text: the metrics as OpenMetrics text. An error is answered with 500 and no details.
    public init(port: Int, text: @escaping @Sendable () async throws -> String) {
        self.port = port
        responder = MetricsResponder(text: text)
    }

    /// Serves while `body` runs, and stops with it.
    ///
    /// - Parameter body: is given the port.
    /// - Throws: ``ServerError`` if the server can't be started, and what `body` throws.
    public func whileRunning<Result: Sendable>(
        _ body: @Sendable (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let listener = Listener(
            responder: responder, host: Self.host, port: port, portFlag: "--metrics-port",
            connectionLimit: Self.connectionLimit)
        return try await Listener<MetricsResponder>.whileRunning(listener.run, body)
    }
}

/// Answers `/metrics`, and nothing else.
struct MetricsResponder: HTTPResponder {
    typealias Context = CatalogueResponder.Context
    let text: @Sendable () async throws -> String

    /// As OpenMetrics 1.0 says.
    private static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    func respond(to request: Request, context: Context) async -> Response {
        guard request.uri.path == "/metrics" else {
            return Self.answer(.notFound, "Metrics are at /metrics.\n")
        }
        guard request.method == .get || request.method == .head else {
            return Self.answer(.methodNotAllowed, "Metrics are only read.\n")
        }
        guard let text = try? await text() else {
            return Self.answer(.internalServerError, "The metrics can't be read now.\n")
        }
        return Self.answer(.ok, text, Self.mediaType, isHead: request.method == .head)
    }

    private static func answer(
        _ status: HTTPResponse.Status, _ text: String, _ type: String = "text/plain; charset=utf-8",
        isHead: Bool = false
    ) -> Response {
        let body = ResponseBody(byteBuffer: ByteBuffer(string: text))
        let headers: HTTPFields = [
            .contentType: type, .cacheControl: "no-store", .contentLength: String(text.utf8.count),
        ]
        return Response(status: status, headers: headers, body: isHead ? ResponseBody() : body)
    }
}
