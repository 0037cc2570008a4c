import Crypto
import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], MediaType.jpeg),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
            (Array("GIF89a".utf8), .gif), (Array("RIFF1234WEBPVP8 ".utf8), .webp),
            (Array("RIFF1234WAVE".utf8), .text),
            ([0x49, 0x49, 0x2A, 0], .tiff), ([0x4D, 0x4D, 0, 0x2A], .tiff), (Array("%PDF-1.7".utf8), .pdf),
            ([0, 0, 0, 0x1C] + Array("ftypavif".utf8), .avif), ([0x50, 0x4B, 3, 4], .zip),
            (Array("Grüße".utf8), .text), ([0xC3, 0x28], .unknown), ([], .unknown), ([0xFF, 0xD8], .unknown),
            (Array("<html>".utf8), .text), ([1, 2, 3], .unknown),
        ] as [([UInt8], MediaType)])
    func fileTypesAreRecognisedByTheirSignature(bytes: [UInt8], type: MediaType) {
        #expect(MediaType(signature: bytes) == type)
    }

    @Test func textTruncatedWithinACharacterIsText() {
        let bytes = Array(String(repeating: "a€", count: 200).utf8.prefix(MediaType.signatureLength))
        for cut in 0..<4 {
            #expect(MediaType(signature: Array("xxxx".utf8.prefix(cut)) + bytes.dropLast(cut)) == .text)
        }
    }

    @Test(
        arguments: [
            ("bytes 0-9/10", 0...9, 10), ("bytes 5-9/*", 5...9, nil), ("bytes */10", nil, 10),
            ("Bytes 5-9/10", 5...9, 10),
        ] as [(String, ClosedRange<Int>?, Int?)])
    func contentRangesAreParsed(text: String, range: ClosedRange<Int>?, total: Int?) {
        let read = ContentRange(text)
        #expect(read != nil && read?.range == range && read?.total == total)
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes 9-5/10", "bytes 5-10/10", "bytes -5/10", "items 0-1/2", "bytes 0-1/x",
    ])
    func invalidContentRangesAreRefused(text: String?) { #expect(ContentRange(text) == nil) }
}

/// A server with one file, whose transfers can be interrupted, and which can change.
final class FileServer: Sendable {
    let bytes: [UInt8]
    init(_ count: Int) { bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7) } }

    var digest: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// A 206 with the rest from `start`.
    func part(from start: Int, etag: String? = "\"1\"", truncatedAfter: Int? = nil) -> ScriptedAnswer {
        var headers: HeaderFields = ["Content-Range": "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"]
        headers["ETag"] = etag
        let rest = Array(bytes[start...])
        if let truncatedAfter {
            return .truncated(rest, after: truncatedAfter, status: 206, headers: headers)
        }
        return .response(206, headers: headers, body: rest)
    }

    func completeResponse(etag: String? = "\"1\"", truncatedAfter: Int? = nil, more: HeaderFields = [:])
        -> ScriptedAnswer
    {
        var headers = more
        headers["Content-Length"] = String(bytes.count)
        headers["ETag"] = etag
        if let truncatedAfter { return .truncated(bytes, after: truncatedAfter, headers: headers) }
        return .response(200, headers: headers, body: bytes)
    }
}

@Suite struct MediaDownloadTests {
    let server = FileServer(100)
    let folder: TemporaryFolder
    var path: String { folder.file("part") }

    init() throws { folder = try TemporaryFolder() }

    static func file(_ outcome: MediaOutcome) throws -> MediaFile {
        guard case .file(let file) = outcome else { throw Missing() }
        return file
    }
    struct Missing: Error {}

    func ranges(_ test: TestSession) -> [String?] { test.transport.requests.map { $0.headers["Range"] } }

    func expectComplete(_ file: MediaFile) throws {
        #expect(file.bytes == 100)
        #expect(file.digest == server.digest)
        #expect(folder.contents("part") == server.bytes)
        #expect(try folder.names() == ["part"])
    }

    @Test func aCompleteDownloadHasItsLengthDigestAndType() async throws {
        let test = try TestSession()
        test.transport.expect(
            "GET", "/f", server.completeResponse(more: ["Last-Modified": "Tue, 14 Nov 2023 00:00:00 GMT"]))
        let file = try Self.file(try await test.session.download(TestFile("/f"), to: path))
        try expectComplete(file)
        #expect(file.etag == "\"1\"")
        #expect(file.lastModified == "Tue, 14 Nov 2023 00:00:00 GMT")
        #expect(test.transport.requests[0].headers["Accept-Encoding"] == "identity")
        #expect(test.session.statistics.mediaBytes == 100)
        #expect(test.session.statistics.jsonBytes == 0)
    }

    @Test func anInterruptedDownloadIsFollowedByARequestForTheRest() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.expect(
            "GET", "/f", server.completeResponse(truncatedAfter: 40),
            server.part(from: 40, truncatedAfter: 9),
            server.part(from: 49))
        let file = try Self.file(try await test.session.download(TestFile("/f"), to: path))
        try expectComplete(file)
        #expect(ranges(test) == [nil, "bytes=40-", "bytes=49-"])
        #expect(test.transport.requests.map { $0.headers["If-Range"] } == [nil, "\"1\"", "\"1\""])
    }

    @Test func aDownloadThatProgressesIsResumedWithoutRetries() async throws {
        let test = try TestSession()
        test.transport.expect(
            "GET", "/f", server.completeResponse(truncatedAfter: 40), server.part(from: 40, truncatedAfter: 0)
        )
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/f"), to: path)
        }
        #expect(error?.code == .connectionLost)
        try test.transport.verify()
    }

    @Test func aLaterCallResumesADownloadAfterACrash() async throws {
        let first = try TestSession()
        first.transport.expect(
            "GET", "/f", server.completeResponse(truncatedAfter: 40), server.part(from: 40, truncatedAfter: 0)
        )
        _ = try await httpError { _ = try await first.session.download(TestFile("/f"), to: path) }
        #expect(try folder.names() == ["part", "part.resume"])
        let second = try TestSession()
        second.transport.expect("GET", "/f", server.part(from: 40))
        let file = try Self.file(try await second.session.download(TestFile("/f"), to: path))
        try expectComplete(file)
        #expect(file.etag == "\"1\"")
        #expect(ranges(second) == ["bytes=40-"])
    }

    @Test func aPartialFileOfAnotherAddressIsNotResumed() async throws {
        let test = try TestSession()
        test.transport.expect(
            "GET", "/f", server.completeResponse(truncatedAfter: 40), server.part(from: 40, truncatedAfter: 0)
        )
        _ = try await httpError { _ = try await test.session.download(TestFile("/f"), to: path) }
        test.transport.expect("GET", "/g", server.completeResponse())
        try expectComplete(try Self.file(try await test.session.download(TestFile("/g"), to: path)))
        #expect(ranges(test).last == .some(nil))
    }

    @Test(arguments: [nil, "W/\"1\""])
    func aPartialFileWithoutAStrongValidatorIsNotResumed(etag: String?) async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.expect(
            "GET", "/f", server.completeResponse(etag: etag, truncatedAfter: 40),
            server.completeResponse(etag: etag))
        try expectComplete(try Self.file(try await test.session.download(TestFile("/f"), to: path)))
        #expect(ranges(test) == [nil, nil])
    }

    @Test func aLastModifiedOlderThanTheResponseResumesADownload() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        let dates: HeaderFields = [
            "Last-Modified": "Tue, 14 Nov 2023 00:00:00 GMT", "Date": "Tue, 14 Nov 2023 00:00:01 GMT",
        ]
        test.transport.expect(
            "GET", "/f", server.completeResponse(etag: nil, truncatedAfter: 40, more: dates),
            server.part(from: 40, etag: nil))
        try expectComplete(try Self.file(try await test.session.download(TestFile("/f"), to: path)))
        #expect(test.transport.requests[1].headers["If-Range"] == "Tue, 14 Nov 2023 00:00:00 GMT")
    }

    @Test func aCompleteResponseToARangeRestartsTheDownload() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        test.transport.expect(
            "GET", "/f", server.completeResponse(etag: "\"0\"", truncatedAfter: 40), server.completeResponse()
        )
        let file = try Self.file(try await test.session.download(TestFile("/f"), to: path))
        try expectComplete(file)
        #expect(file.etag == "\"1\"")
    }

    @Test func anotherETagOrRangeRestartsTheDownload() async throws {
        for wrong in [server.part(from: 40, etag: "\"2\""), server.part(from: 39), .response(206, body: [1])]
        {
            let test = try TestSession(interceptors: [RetryInterceptor()])
            test.transport.expect(
                "GET", "/f", server.completeResponse(truncatedAfter: 40), wrong, server.completeResponse())
            try expectComplete(
                try Self.file(try await test.session.download(TestFile("/f"), to: path)))
            #expect(ranges(test) == [nil, "bytes=40-", nil])
            try test.transport.verify()
        }
    }

    @Test func aRangeNotSatisfiableForACompleteFileCompletesTheDownload() async throws {
        let test = try TestSession()
        // All bytes were received, but the connection was lost before the end of the transfer.
        test.transport.expect(
            "GET", "/f", server.completeResponse(truncatedAfter: 100),
            .response(416, headers: ["Content-Range": "bytes */100"]))
        try expectComplete(try Self.file(try await test.session.download(TestFile("/f"), to: path)))
        try test.transport.verify()
    }

    @Test func aRangeNotSatisfiableForAnotherFileRestartsTheDownload() async throws {
        let test = try TestSession()
        test.transport.expect(
            "GET", "/f", server.completeResponse(truncatedAfter: 40),
            .response(416, headers: ["Content-Range": "bytes */30"]),
            server.completeResponse())
        try expectComplete(try Self.file(try await test.session.download(TestFile("/f"), to: path)))
    }

    @Test func aCurrentCopyIsNotDownloadedAgain() async throws {
        let test = try TestSession()
        test.transport.expect("GET", "/f", .notModified(etag: "\"1\""))
        let outcome = try await test.session.download(TestFile("/f", known: "\"1\""), to: path)
        guard case .notModified = outcome else {
            Issue.record("not confirmed")
            return
        }
        #expect(test.transport.requests[0].headers["If-None-Match"] == "\"1\"")
        #expect(try folder.names() == [])
    }

    @Test func downloadedFilesThatFailTheirChecksAreRemoved() async throws {
        let cases: [(MediaExpectation, HTTPError.Code)] = [
            (MediaExpectation(length: 99), .wrongLength),
            (MediaExpectation(digest: Array(repeating: 0, count: 32)), .wrongDigest),
            (MediaExpectation(isPicture: true), .wrongSignature),
        ]
        for (expected, code) in cases {
            let test = try TestSession()
            test.transport.expect("GET", "/f", server.completeResponse())
            let error = try await httpError {
                _ = try await test.session.download(TestFile("/f"), to: path, expecting: expected)
            }
            #expect(error?.code == code)
            #expect(try folder.names() == [])
        }
    }

    @Test func aFilesLengthIsComparedWithTheContentLength() async throws {
        let test = try TestSession()
        test.transport.expect("GET", "/f", .response(200, headers: ["Content-Length": "5"], body: [1, 2, 3]))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/f"), to: path)
        }
        #expect(error?.code == .wrongLength)
    }

    @Test func anErrorsBodyIsNeverWrittenToTheFile() async throws {
        let test = try TestSession()
        test.transport.expect("GET", "/f", .text("sorry", status: 404))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/f"), to: path)
        }
        #expect(error?.code == .notFound)
        #expect(try folder.names() == [])
    }

    @Test func downloadsFromOtherHostsSendNoCredentialsAndCheckRedirects() async throws {
        let names = ["origin.test": ["93.184.216.34"], "cdn.test": ["93.184.216.35"], "evil.test": ["::1"]]
        let test = try TestSession(addresses: names, interceptors: [try AccessTokenInterceptor(token: "t")])
        test.transport.expect("GET", "/f", .response(302, headers: ["Location": "http://cdn.test/f"]))
        test.transport.expect(
            "GET", "http://cdn.test/f", .response(302, headers: ["Location": "http://evil.test/f"]))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/f"), to: path)
        }
        #expect(error?.code == .forbiddenAddress)
        #expect(test.transport.requests.map { $0.headers["X-Access-Token"] } == ["t", nil])
        try test.transport.verify()
    }

    @Test func anUnwritableFileIsReportedWithItsPath() async throws {
        let test = try TestSession()
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/f"), to: folder.file("no/such/part"))
        }
        #expect(error?.code == .file)
        #expect(test.transport.requests.isEmpty)
    }
}
