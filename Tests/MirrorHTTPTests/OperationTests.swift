import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// Records the calls of an operation's members.
final class CallRecord: Sendable {
    private let calls = Mutex<[String]>([])
    private let response = Mutex<Response?>(nil)
    var all: [String] { calls.withLock { $0 } }
    /// The processed response.
    var processed: Response? { response.withLock { $0 } }
    func add(_ call: String) { calls.withLock { $0.append(call) } }
    func add(_ processed: Response) { response.withLock { $0 = processed } }
}

struct RecordingOperation: DataOperation {
    struct Refused: Error {}

    let record = CallRecord()
    var body: [UInt8]?
    var failsIn: String?

    private func recordCall(_ call: String) throws {
        record.add(call)
        if failsIn == call { throw Refused() }
    }

    func validate() throws { try recordCall("validate") }
    mutating func serialise() throws { try recordCall("serialise") }
    var endpoint: Request.Target {
        record.add("endpoint")
        return .relative("/thing")
    }
    var parameters: [(name: String, value: String)] {
        record.add("parameters")
        return [("b", "2 & 3"), ("a", "1")]
    }
    var method: String {
        record.add("method")
        return "PUT"
    }
    var data: [UInt8]? {
        record.add("data")
        return body
    }
    var contentType: String? {
        record.add("contentType")
        return "text/plain"
    }
    func processResponse(_ fetched: Fetched) throws -> Response {
        try recordCall("processResponse")
        guard case .body(let response) = fetched else { return Response(head: fetched.head) }
        record.add(response)
        return response
    }
    func completion(_ result: Result<Response, any Error>) {
        record.add("completion")
    }
}

@Suite struct OperationTests {
    static let sendingCalls = ["validate", "serialise", "endpoint", "parameters", "method", "data"]

    @Test func anOperationsMembersAreCalledInTheGuaranteedOrder() async throws {
        let test = try TestSession()
        test.transport.expect("PUT", "/thing?a=1&b=2%20%26%203", .text("{}"))
        let operation = RecordingOperation(body: [1])
        _ = try await test.session.send(operation)
        #expect(operation.record.all == Self.sendingCalls + ["contentType", "processResponse", "completion"])
        #expect(test.transport.requests[0].headers["Content-Type"] == "text/plain")
        try test.transport.verify()
    }

    @Test func aDownloadCallsItsOperationInTheSameOrderAndProcessesTheHead() async throws {
        let test = try TestSession()
        test.transport.expect(
            "PUT", "/thing?a=1&b=2%20%26%203", .text("picture", headers: ["Last-Modified": "yesterday"]))
        let folder = try TemporaryFolder()
        let operation = RecordingOperation()
        let outcome = try await test.session.download(operation, to: folder.file("part"))
        #expect(try MediaDownloadTests.file(outcome).bytes == 7)
        #expect(operation.record.all == Self.sendingCalls + ["processResponse", "completion"])
        #expect(operation.record.processed?.head.headers["Last-Modified"] == "yesterday")
        #expect(operation.record.processed?.body == [])
    }

    @Test func aRefusedDownloadCompletesWithItsError() async throws {
        let test = try TestSession()
        test.transport.expect("PUT", "/thing?a=1&b=2%20%26%203", .response(404))
        let folder = try TemporaryFolder()
        let operation = RecordingOperation()
        let error = try await httpError {
            _ = try await test.session.download(operation, to: folder.file("part"))
        }
        #expect(error?.code == .notFound)
        #expect(operation.record.all == Self.sendingCalls + ["completion"])
        #expect(try folder.names() == [])
    }

    @Test func theContentTypeIsNotReadWithoutData() async throws {
        let operation = RecordingOperation()
        _ = try await operation.simulate(.text("{}"))
        #expect(operation.record.all == Self.sendingCalls + ["processResponse", "completion"])
    }

    @Test(arguments: [("validate", ["validate"]), ("serialise", ["validate", "serialise"])])
    func anOperationThatFailsToPrepareSendsNothingAndCompletes(step: String, calls: [String]) async throws {
        let test = try TestSession()
        let operation = RecordingOperation(failsIn: step)
        await #expect(throws: RecordingOperation.Refused.self) { try await test.session.send(operation) }
        #expect(operation.record.all == calls + ["completion"])
        #expect(test.transport.requests.isEmpty)
    }

    @Test func anOperationThatFailsToProcessCompletesWithItsError() async throws {
        let operation = RecordingOperation(failsIn: "processResponse")
        await #expect(throws: RecordingOperation.Refused.self) { try await operation.simulate(.text("{}")) }
        #expect(operation.record.all.suffix(2) == ["processResponse", "completion"])
    }

    @Test func anErrorStatusCompletesAnOperationWithoutProcessing() async throws {
        let operation = RecordingOperation()
        let error = try await httpError { _ = try await operation.simulate(.response(status: 404)) }
        #expect(error?.code == .notFound)
        #expect(operation.record.all == Self.sendingCalls + ["completion"])
    }

    @Test func simulatedTransportErrorsCompleteAnOperation() async throws {
        let failure = TransportError(.cannotConnect, "no", mayHaveReachedServer: false)
        let operation = RecordingOperation()
        let simulated = try await httpError { _ = try await operation.simulate(.transportError(failure)) }
        let test = try TestSession()
        test.transport.expect("PUT", "/thing?a=1&b=2%20%26%203", .failure(.cannotConnect))
        let real = try await httpError { _ = try await test.session.send(RecordingOperation()) }
        #expect(simulated?.code == .unreachable)
        #expect(real?.code == .unreachable)
        #expect(operation.record.all == Self.sendingCalls + ["completion"])
    }

    @Test func anOperationsRequestIsBuiltWithoutSendingIt() throws {
        let operation = RecordingOperation(body: [7])
        let request = try operation.request()
        #expect(request.target == .relative("/thing?a=1&b=2%20%26%203"))
        #expect(request.method == "PUT")
        #expect(request.body == [7])
        #expect(operation.record.all == Self.sendingCalls + ["contentType"])
    }

    @Test(arguments: [
        ("/x", [("ids", "1"), ("size", "all")], "/x?ids=1&size=all"),
        ("/x?size=all", [("ids", "1")], "/x?ids=1&size=all"),
        ("/x?a=2", [("a", "1"), ("é", "ö")], "/x?%C3%A9=%C3%B6&a=2&a=1"),
        ("/x?a=1", [], "/x?a=1"),
    ])
    func queryParametersAreSortedByName(url: String, items: [(String, String)], expected: String) {
        let target = Request.Target.relative(url).adding(items.map { (name: $0.0, value: $0.1) })
        #expect(target == .relative(expected))
    }
}

/// The example of the overview in `RequestOperation.swift` and of the article, unchanged.
struct RenameAlbum: JSONOperation {
    typealias Output = Album
    let id: String, name: String
    var endpoint: Request.Target { .relative("/album/\(id)") }
    var method: String { "PUT" }
    var data: [UInt8]?
    var contentType: String? { "application/json" }
    func validate() throws { if name.isEmpty { throw InvalidName() } }
    mutating func serialise() throws { data = Array(try JSONEncoder().encode(["name": name])) }
}
struct Album: Decodable, Equatable { let name: String }
struct InvalidName: Error {}

@Suite struct JSONOperationTests {
    @Test func theOverviewsExampleOperationWorks() async throws {
        let test = try TestSession()
        test.transport.expect("PUT", "/album/a", .text(#"{"name":"New"}"#))
        #expect(try await test.session.send(RenameAlbum(id: "a", name: "New")) == Album(name: "New"))
        #expect(test.transport.requests[0].body == Array(#"{"name":"New"}"#.utf8))
        await #expect(throws: InvalidName.self) {
            try await test.session.send(RenameAlbum(id: "a", name: ""))
        }
        try test.transport.verify()
    }

    @Test func theDocumentedExampleIsTheTestedCode() throws {
        let tests = URL(fileURLWithPath: #filePath)
        let package = tests.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
        let own = try text(tests).split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(own.firstIndex { $0.hasPrefix("struct RenameAlbum") })
        let end = try #require(own[start...].firstIndex(of: "}"))
        let example = own[start...end]
        #expect(example.count == 10)
        let sources = package.appendingPathComponent("Sources/MirrorHTTP")
        let article = try text(sources.appendingPathComponent("MirrorHTTP.docc/WritingAnOperation.md"))
        #expect(article.contains("\n\(example.joined(separator: "\n"))\n"))
        let overview = try text(sources.appendingPathComponent("Operations/RequestOperation.swift"))
        #expect(overview.contains(example.map { "//     \($0)" }.joined(separator: "\n")))
    }

    /// The article's second example.
    @Test func aStandardSessionIsCreatedInOneStatement() throws {
        let token = "t"
        let session = try InterceptableSession(
            base: "https://example.org/api/v1", transport: CurlTransport(.init(addresses: .testing)),
            interceptors: .standard(credentials: .token(token)))
        #expect(session.base == "https://example.org/api/v1")
    }

    struct Thing: Decodable, Equatable { let id: String }
    struct GetThing: JSONOperation {
        typealias Output = Thing
        var endpoint: Request.Target { .relative("/thing") }
    }
    struct Refresh: JSONOperation {
        typealias Output = Thing?
        var knownETag: String?
        var endpoint: Request.Target { .relative("/thing") }
        func confirmed(_ head: ResponseHead) throws -> Thing? { nil }
    }

    @Test func aDecodableOutputIsDecodedByDefault() async throws {
        #expect(try await GetThing().simulate(.text(#"{"id":"a"}"#)) == Thing(id: "a"))
    }

    @Test func aWebPageInsteadOfJSONIsReportedAsSuch() async throws {
        let error = try await httpError { _ = try await GetThing().simulate(.text(" <!doctype html>")) }
        #expect(error?.code == .notJSON)
        #expect(error?.message.contains("web page") == true)
    }

    @Test(arguments: ["", "null", "[]", #"{"id":"#, #"{"id":1}"#])
    func unexpectedJSONIsAnError(body: String) async throws {
        #expect(try await httpError { _ = try await GetThing().simulate(.text(body)) }?.code == .notJSON)
    }

    @Test func aKnownETagMakesAnOperationConditional() async throws {
        let test = try TestSession()
        test.transport.always("GET", "/thing", .conditional(#"{"id":"a"}"#, etag: "\"1\""))
        #expect(try await test.session.send(Refresh(knownETag: "\"1\"")) == nil)
        #expect(try await test.session.send(Refresh(knownETag: "\"0\"")) == Thing(id: "a"))
        #expect(test.transport.requests.map { $0.headers["If-None-Match"] } == ["\"1\"", "\"0\""])
    }
}

@Suite struct FoundationOperationTests {
    struct Get: DataOperation {
        var endpoint: Request.Target { .relative("/thing") }
    }

    @Test func operationsRunOnAnOperationQueueInOrder() async throws {
        let test = try TestSession()
        test.transport.expect("GET", "/thing", .text("1"), .text("2"))
        let queue = OperationQueue()
        let first = FoundationOperation(Get(), session: test.session)
        let second = FoundationOperation(Get(), session: test.session)
        second.addDependency(first)
        await withCheckedContinuation { continuation in
            second.completionBlock = { continuation.resume() }
            queue.addOperations([second, first], waitUntilFinished: false)
        }
        #expect(try first.result?.get().body == Array("1".utf8))
        #expect(try second.result?.get().body == Array("2".utf8))
        #expect(first.isFinished && !first.isExecuting)
        try test.transport.verify()
    }

    @Test func cancellingAFoundationOperationEndsItsRequest() async throws {
        let started = AsyncStream<Void>.makeStream()
        let test = try TestSession(handler: { _ in
            started.continuation.yield()
            try await Task.sleep(for: .seconds(3600))
            return nil
        })
        let operation = FoundationOperation(Get(), session: test.session)
        let queue = OperationQueue()
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            queue.addOperation(operation)
            Task {
                for await _ in started.stream { break }
                operation.cancel()
            }
        }
        #expect(throws: CancellationError.self) { try operation.result?.get() }
    }
}
