import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

/// Downloads from servers with wrong ranges or content codings.
@Suite struct MediaEdgeTests {
    let server = FileServer(100)
    let folder: TemporaryFolder
    var path: String { folder.file("part") }

    init() throws { folder = try TemporaryFolder() }

    private func download(_ answers: [ScriptedAnswer]) async throws -> (TestSession, MediaFile) {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        for answer in answers { test.transport.expect("GET", "/p", answer) }
        let outcome = try await test.session.download(TestFile("/p"), to: path)
        let file = try MediaDownloadTests.file(outcome)
        try test.transport.verify()
        return (test, file)
    }

    private func rest(from start: Int, to end: Int, _ contentRange: String, _ more: HeaderFields)
        -> ScriptedAnswer
    {
        var headers = more
        headers["Content-Range"] = contentRange
        return .response(206, headers: headers, body: Array(server.bytes[start..<end]))
    }

    /// The server ignores `If-Range`, and the file has changed.
    @Test func aRangeWithAnotherDateRestartsTheDownload() async throws {
        let dates: HeaderFields = [
            "Last-Modified": "Mon, 13 Nov 2023 10:00:00 GMT", "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
        ]
        let (_, file) = try await download([
            server.completeResponse(etag: nil, truncatedAfter: 40, more: dates),
            rest(from: 40, to: 100, "bytes 40-99/100", ["Last-Modified": "Tue, 14 Nov 2023 10:00:00 GMT"]),
            server.completeResponse(etag: nil),
        ])
        #expect(file.digest == server.digest)
    }

    @Test func aRangeWithAnotherTotalLengthRestartsTheDownload() async throws {
        let (_, file) = try await download([
            server.completeResponse(truncatedAfter: 40), rest(from: 40, to: 90, "bytes 40-89/90", [:]),
            server.completeResponse(),
        ])
        #expect(file.digest == server.digest)
    }

    /// If the range has no total length, that of the first response counts.
    @Test func aRangeThatEndsEarlyIsFollowedByARequestForItsRest() async throws {
        let tag: HeaderFields = ["ETag": "\"1\""]
        for range in ["bytes 40-69/*", "bytes 40-69/100"] {
            let (test, file) = try await download([
                server.completeResponse(truncatedAfter: 40), rest(from: 40, to: 70, range, tag),
                rest(from: 70, to: 100, "bytes 70-99/100", tag),
            ])
            #expect(file.digest == server.digest)
            #expect(test.transport.requests.map { $0.headers["Range"] } == [nil, "bytes=40-", "bytes=70-"])
        }
    }

    /// The file was replaced by a shorter one, with exactly the length received so far.
    @Test func a416WithAnotherETagRestartsTheDownload() async throws {
        let other = FileServer(40)
        let (_, file) = try await download([
            server.completeResponse(truncatedAfter: 40),
            .response(416, headers: ["Content-Range": "bytes */40", "ETag": "\"2\""]),
            other.completeResponse(etag: "\"2\""),
        ])
        #expect(file.digest == other.digest && file.etag == "\"2\"")
    }

    @Test func a416WithAnotherLengthRestartsTheDownload() async throws {
        let other = FileServer(40)
        let (_, file) = try await download([
            server.completeResponse(truncatedAfter: 40),
            .response(416, headers: ["Content-Range": "bytes */40"]),
            other.completeResponse(etag: "\"2\""),
        ])
        #expect(file.digest == other.digest)
    }

    /// Some servers compress every response. The file is then requested again, and decoded.
    @Test func aDownloadThatTheServerCompressesUnaskedIsRequestedAgainAndDecoded() async throws {
        let (test, file) = try await download([
            server.completeResponse(more: ["Content-Encoding": "gzip"]),
            server.completeResponse(etag: "\"2\""),
        ])
        #expect(file.digest == server.digest && file.etag == "\"2\"")
        #expect(test.transport.requests.map { $0.headers["Accept-Encoding"] } == ["identity", nil])
    }

    /// The ETag belongs to the encoded representation, so it can't be used for a range.
    @Test func anInterruptedDecodedDownloadStartsOver() async throws {
        let (test, file) = try await download([
            server.completeResponse(more: ["Content-Encoding": "br"]),
            server.completeResponse(truncatedAfter: 40), server.completeResponse(),
        ])
        #expect(file.digest == server.digest)
        #expect(!test.transport.requests.contains { $0.headers["Range"] != nil })
    }

    /// `x-gzip` is a synonym of `gzip` (RFC 9110, section 8.4.1.3).
    @Test func aDownloadCodedAsXGzipIsDecoded() async throws {
        let (test, file) = try await download([
            server.completeResponse(more: ["Content-Encoding": "x-gzip"]), server.completeResponse(),
        ])
        #expect(file.digest == server.digest)
        #expect(test.transport.requests.map { $0.headers["Accept-Encoding"] } == ["identity", nil])
    }

    @Test(arguments: ["", "identity"]) func aDownloadWithTheIdentityCodingIsStoredUnchanged(coding: String)
        async throws
    {
        let (_, file) = try await download([server.completeResponse(more: ["Content-Encoding": coding])])
        #expect(file.digest == server.digest)
    }

    /// A transport that decodes a body removes `Content-Encoding`. The field is still there, so the bytes are still encoded.
    @Test(arguments: ["martian", "br", "gzip, gzip"])
    func aDownloadThatIsStillEncodedWhenRequestedAgainFails(coding: String) async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.always("GET", "/p", server.completeResponse(more: ["Content-Encoding": coding]))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/p"), to: path)
        }
        #expect(error?.code == .badResponse && test.transport.requests.count == 2)
        #expect(try folder.names() == [])
    }

    /// A part of an encoded file can't be resumed, even with the same ETag.
    @Test func anInterruptedGzipDownloadIsRequestedFromTheBeginning() async throws {
        let broken = ScriptedAnswer.truncated(
            server.bytes, after: 40, headers: ["ETag": "\"1\""], code: .brokenCoding)
        let (test, file) = try await download([
            server.completeResponse(more: ["Content-Encoding": "gzip"]), broken, broken,
            server.completeResponse(),
        ])
        #expect(file.digest == server.digest && file.bytes == 100)
        #expect(!test.transport.requests.contains { $0.headers["Range"] != nil })
    }

    @Test func aRangeWithAContentCodingIsNotAppended() async throws {
        let (_, file) = try await download([
            server.completeResponse(truncatedAfter: 40),
            rest(from: 40, to: 100, "bytes 40-99/100", ["ETag": "\"1\"", "Content-Encoding": "gzip"]),
            server.completeResponse(),
        ])
        #expect(file.digest == server.digest && file.bytes == 100)
    }

    @Test func aGzipDownloadThatIsAlwaysTruncatedFails() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.expect("GET", "/p", server.completeResponse(more: ["Content-Encoding": "gzip"]))
        test.transport.always(
            "GET", "/p", .truncated(server.bytes, after: 40, headers: ["ETag": "\"1\""], code: .brokenCoding))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/p"), to: path)
        }
        #expect(error?.code == .badResponse && error?.isWorthRetry == true)
    }

    @Test func a304ToAnUnconditionalDownloadIsAnError() async throws {
        let test = try TestSession()
        test.transport.always("GET", "/p", .notModified(etag: "\"1\""))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/p"), to: path)
        }
        #expect(error?.code == .unexpectedStatus)
    }
}
