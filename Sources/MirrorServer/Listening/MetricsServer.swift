import Hummingbird

/// Serves metrics at `/metrics`, on this machine only.
///
/// The text is made for each request. It contains no secrets, and the server accepts no writes.
public struct MetricsServer: Sendable {
    private static let host = "127.0.0.1"
    /// More than clients of metrics need, and few enough to leave file descriptors for the rest of the process.
    private static let connectionLimit = 64
    private let port: Int
    private let responder: MetricsResponder

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - port: the port; 0 chooses a free port.
    ///   - text: makes the OpenMetrics text. An error is answered with 500, without details.
    public init(port: Int, text: @escaping @Sendable () async throws -> String) {
        self.port = port
        responder = MetricsResponder(text: text)
    }

    /// Serves while `body` runs, then stops.
    ///
    /// - Parameter body: called with the port.
    /// - Throws: ``ServerError`` if the server can't be started; errors of `body`.
    public func whileRunning<Result: Sendable>(
        _ body: @Sendable (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let listener = Listener(
            responder: responder, host: Self.host, port: port, portFlag: "--metrics-port",
            connectionLimit: Self.connectionLimit)
        return try await Listener<MetricsResponder>.whileRunning(listener.run, body)
    }
}

/// Answers requests for `/metrics`; all other paths get 404.
struct MetricsResponder: HTTPResponder {
    typealias Context = CatalogueResponder.Context
    let text: @Sendable () async throws -> String

    /// The media type of OpenMetrics 1.0.
    private static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    func respond(to request: Request, context: Context) async -> Response {
        guard request.uri.path == "/metrics" else {
            return Self.answer(.notFound, "Metrics are at /metrics.\n")
        }
        guard request.method == .get || request.method == .head else {
            return Self.answer(.methodNotAllowed, "Metrics can only be read.\n")
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
