import Foundation
import Hummingbird
import MirrorSimulation
import Synchronization

/// Serves an imitated museum over HTTP. One port stands for all hosts of the museum.
struct ImitationServer: Sendable {
    let museum: ImitatedMuseum
    let log: RequestLog?

    /// Serves until SIGINT or SIGTERM.
    ///
    /// - Parameters:
    ///   - port: the port; 0 chooses a free one.
    ///   - onListening: called once with the port, as soon as connections are accepted.
    /// - Throws: ``Failure`` if the server can't be started.
    func run(port: Int, onListening: @escaping @Sendable (Int) -> Void) async throws {
        var application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                try await answer(request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 1024),
            onServerRunning: { onListening($0.localAddress?.port ?? port) })
        application.logger.logLevel = .critical
        do {
            try await application.runService()
        } catch {
            throw Failure(
                description:
                    "Nothing can be served on port \(port): another program may be using it. Choose another --port. (\(error))"
            )
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The largest body of a request, such as a search, in bytes.
    private static let largestBody = 1 << 20

    private func answer(_ request: Request) async throws -> Response {
        let received = Date()
        let body = try await request.body.collect(upTo: Self.largestBody)
        let host = request.head.authority ?? "127.0.0.1"
        let headers = Dictionary(
            request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { $1 })
        let answer = museum.answer(
            method: request.method.rawValue, host: host, target: request.head.path ?? "/",
            headers: headers, body: Array(buffer: body), origin: "http://\(host)")
        let bytes = answer.bytes
        log?.add(
            received, "\(request.method.rawValue) \(request.head.path ?? "") \(answer.status) \(bytes.count)")
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPFields.Element.Name(name) { fields[name] = value }
        }
        let content =
            answer.isCutOff
            ? Self.cutOff(bytes) : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        var response = Response(status: .init(code: answer.status), headers: fields, body: content)
        // The length of a 304 would be that of the body that it doesn't have.
        if answer.status == 304 { response.headers[.contentLength] = nil }
        guard request.method == .head else { return response }
        let length = response.headers[.contentLength]
        response = response.createHeadResponse()
        response.headers[.contentLength] = length
        return response
    }

    private struct ConnectionDropped: Error {}

    /// Half of the bytes. Then the HTTP library closes the connection, because writing the body failed.
    private static func cutOff(_ bytes: [UInt8]) -> ResponseBody {
        ResponseBody(contentLength: bytes.count) { writer in
            try await writer.write(ByteBuffer(bytes: bytes.prefix(bytes.count / 2)))
            throw ConnectionDropped()
        }
    }
}

/// A file with a line for each request, in the order of the answers.
final class RequestLog: Sendable {
    private let file: Mutex<FileHandle>

    struct Unwritable: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates the file, or empties it.
    ///
    /// - Throws: ``Unwritable``.
    init(path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else {
            throw Unwritable(description: "\(path) can't be written. Check the folder, and its permissions.")
        }
        file = Mutex(handle)
    }

    /// Adds a line.
    ///
    /// - Parameter received: when the request arrived.
    func add(_ received: Date, _ text: String) {
        let line = "\(Int(received.timeIntervalSince1970 * 1_000)) \(text)\n"
        file.withLock { file in
            do {
                try file.write(contentsOf: Data(line.utf8))
            } catch {
                FileHandle.standardError.write(Data("The log can't be written: \(error)\n".utf8))
            }
        }
    }
}
