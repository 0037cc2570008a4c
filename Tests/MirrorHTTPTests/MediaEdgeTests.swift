import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

/// Servers whose ranges can't be trusted.
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

    /// `If-Range` was ignored, and the file has changed since.
    @Test func restOfAnotherDateStartsOver() async throws {
        let dates: HeaderFields = [
            "Last-Modified": "Mon, 13 Nov 2023 10:00:00 GMT", "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
        ]
        let (_, file) = try await download([
            server.whole(etag: nil, breakingAfter: 40, more: dates),
            rest(from: 40, to: 100, "bytes 40-99/100", ["Last-Modified": "Tue, 14 Nov 2023 10:00:00 GMT"]),
            server.whole(etag: nil),
        ])
        #expect(file.digest == server.digest)
    }

    @Test func restOfAnotherLengthStartsOver() async throws {
        let (_, file) = try await download([
            server.whole(breakingAfter: 40), rest(from: 40, to: 90, "bytes 40-89/90", [:]), server.whole(),
        ])
        #expect(file.digest == server.digest)
    }

    /// Without the whole length in the rest, the one that the first answer announced still counts.
    @Test func restThatEndsTooEarlyIsFollowedByItsOwnRest() async throws {
        let tag: HeaderFields = ["ETag": "\"1\""]
        for range in ["bytes 40-69/*", "bytes 40-69/100"] {
            let (test, file) = try await download([
                server.whole(breakingAfter: 40), rest(from: 40, to: 70, range, tag),
                rest(from: 70, to: 100, "bytes 70-99/100", tag),
            ])
            #expect(file.digest == server.digest)
            #expect(test.transport.requests.map { $0.headers["Range"] } == [nil, "bytes=40-", "bytes=70-"])
        }
    }

    /// A shorter file in its place, of exactly the length that has come so far.
    @Test func unsatisfiableRangeUnderAnotherTagIsNotTheEnd() async throws {
        let other = FileServer(40)
        let (_, file) = try await download([
            server.whole(breakingAfter: 40),
            .response(416, headers: ["Content-Range": "bytes */40", "ETag": "\"2\""]),
            other.whole(etag: "\"2\""),
        ])
        #expect(file.digest == other.digest && file.etag == "\"2\"")
    }

    @Test func unsatisfiableRangeOfALengthThatWasNotAnnouncedIsNotTheEnd() async throws {
        let other = FileServer(40)
        let (_, file) = try await download([
            server.whole(breakingAfter: 40), .response(416, headers: ["Content-Range": "bytes */40"]),
            other.whole(etag: "\"2\""),
        ])
        #expect(file.digest == other.digest)
    }

    /// Servers that compress whatever they are asked for exist: it is asked for once more so that it can be decoded.
    @Test func whatComesCompressedUnaskedIsAskedForSoThatItIsDecoded() async throws {
        let (test, file) = try await download([
            server.whole(more: ["Content-Encoding": "gzip"]), server.whole(etag: "\"2\""),
        ])
        #expect(file.digest == server.digest && file.etag == "\"2\"")
        #expect(test.transport.requests.map { $0.headers["Accept-Encoding"] } == ["identity", nil])
    }

    /// Its entity tag is that of another representation than a range would be of.
    @Test func whatIsDecodedStartsOverAfterABreak() async throws {
        let (test, file) = try await download([
            server.whole(more: ["Content-Encoding": "br"]), server.whole(breakingAfter: 40), server.whole(),
        ])
        #expect(file.digest == server.digest)
        #expect(!test.transport.requests.contains { $0.headers["Range"] != nil })
    }

    /// RFC 9110, section 8.4.1.3: by another name it is the same coding.
    @Test func anotherNameForGzipIsDecodedToo() async throws {
        let (test, file) = try await download([
            server.whole(more: ["Content-Encoding": "x-gzip"]), server.whole(),
        ])
        #expect(file.digest == server.digest)
        #expect(test.transport.requests.map { $0.headers["Accept-Encoding"] } == ["identity", nil])
    }

    @Test(arguments: ["", "identity"]) func whatIsNoCodingIsTakenAsItComes(coding: String) async throws {
        let (_, file) = try await download([server.whole(more: ["Content-Encoding": coding])])
        #expect(file.digest == server.digest)
    }

    /// The transport would have decoded it, and taken the field away: these bytes are not the file.
    @Test(arguments: ["martian", "br", "gzip, gzip"])
    func aFileThatStaysCodedIsNoFile(coding: String) async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.always("GET", "/p", server.whole(more: ["Content-Encoding": coding]))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/p"), to: path)
        }
        #expect(error?.code == .badResponse && test.transport.requests.count == 2)
        #expect(try folder.names() == [])
    }

    /// Half of a coded file is nothing to go on from, even under the same tag.
    @Test func aCodedFileThatBreaksOffIsAskedForFromItsBeginning() async throws {
        let broken = ScriptedAnswer.truncated(
            server.bytes, after: 40, headers: ["ETag": "\"1\""], code: .brokenCoding)
        let (test, file) = try await download([
            server.whole(more: ["Content-Encoding": "gzip"]), broken, broken, server.whole(),
        ])
        #expect(file.digest == server.digest && file.bytes == 100)
        #expect(!test.transport.requests.contains { $0.headers["Range"] != nil })
    }

    @Test func aRestThatIsCodedIsNoneOfTheFile() async throws {
        let (_, file) = try await download([
            server.whole(breakingAfter: 40),
            rest(from: 40, to: 100, "bytes 40-99/100", ["ETag": "\"1\"", "Content-Encoding": "gzip"]),
            server.whole(),
        ])
        #expect(file.digest == server.digest && file.bytes == 100)
    }

    @Test func aCodedFileThatNeverComesToItsEndIsAFailure() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.expect("GET", "/p", server.whole(more: ["Content-Encoding": "gzip"]))
        test.transport.always(
            "GET", "/p", .truncated(server.bytes, after: 40, headers: ["ETag": "\"1\""], code: .brokenCoding))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/p"), to: path)
        }
        #expect(error?.code == .badResponse && error?.isWorthRetry == true)
    }

    @Test func notModifiedForWhoKnowsNothingIsAnError() async throws {
        let test = try TestSession()
        test.transport.always("GET", "/p", .notModified(etag: "\"1\""))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/p"), to: path)
        }
        #expect(error?.code == .unexpectedStatus)
    }
}
