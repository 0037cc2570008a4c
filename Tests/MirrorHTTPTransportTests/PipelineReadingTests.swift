import Testing

@testable import MirrorHTTP

/// What is decided about an answer that others wait behind.
@Suite struct PipelineReadingTests {
    private func head(_ lines: String...) -> ResponseHeadReader {
        var reader = ResponseHeadReader()
        for line in lines + [""] {
            Array((line + "\r\n").utf8).withUnsafeBytes { _ = reader.read($0) }
        }
        return reader
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", ["Content-Length: 5"], AnswerFraming.bytes(5)),
        ("HTTP/1.1 200 OK", ["Content-Length: 0"], .bytes(0)),
        ("HTTP/1.1 204 No Content", [], .bytes(0)),
        ("HTTP/1.1 304 Not Modified", ["Content-Length: 5"], .bytes(0)),
        ("HTTP/1.1 404 Not Found", ["Content-Length: 7"], .bytes(7)),
        // Until the connection ends.
        ("HTTP/1.1 200 OK", [], .open),
        ("HTTP/1.1 200 OK", ["Transfer-Encoding: chunked"], .open),
        ("HTTP/1.1 304 Not Modified", ["Transfer-Encoding: chunked"], .open),
        // Two answers to one request would follow from either.
        ("HTTP/1.1 200 OK", ["Content-Length: 5", "Content-Length: 6"], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: 5", "Transfer-Encoding: chunked"], .unclear),
        ("HTTP/1.1 200 OK", ["Transfer-Encoding: gzip, chunked"], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: +5"], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: -5"], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: 0x5"], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: "], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: 1152921504606846976"], .bytes(1 << 60)),
        ("HTTP/1.1 200 OK", ["Content-Length: 1152921504606846977"], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: 9223372036854775807"], .unclear),
        ("HTTP/1.1 200 OK", ["Content-Length: 99999999999999999999"], .unclear),
        ("HTTP/1.1 101 Switching Protocols", [], .unclear),
    ]) func whereABodyEnds(status: String, fields: [String], framing: AnswerFraming) {
        var reader = ResponseHeadReader()
        for line in [status] + fields + [""] {
            Array((line + "\r\n").utf8).withUnsafeBytes { _ = reader.read($0) }
        }
        #expect(AnswerFraming(reader) == framing)
    }

    /// Reads all of it in pieces of so many bytes; returns the bodies, each with its status, and whether it stayed plain.
    private func read(_ text: String, inPiecesOf size: Int) -> (answers: [String], isFit: Bool) {
        let bytes = Array(text.utf8)
        var answer = PipelinedAnswer(), body: [UInt8] = [], answers: [String] = []
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            start += size
            let isFit = piece.withUnsafeBytes { piece in
                var rest = piece
                while !rest.isEmpty {
                    switch answer.read(&rest) {
                    case .more: continue
                    case .head: break
                    case .body(let bytes): body += bytes
                    case .endless, .unfit: return false
                    }
                    if answer.isWhole, let response = answer.response {
                        answers.append("\(response.status) \(String(decoding: body, as: UTF8.self))")
                        #expect(response.receivedBytes == answer.headBytes + body.count)
                        (answer, body) = (PipelinedAnswer(), [])
                    }
                }
                return true
            }
            if !isFit { return (answers, false) }
        }
        return (answers, true)
    }

    @Test(arguments: [1, 2, 3, 7, 64, 4096]) func answersEndWhereTheNextBegins(size: Int) {
        let text =
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            + "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"
            + "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
            + "HTTP/1.1 200 OK\nContent-Length: 0\n\n"
        let (answers, isFit) = read(text, inPiecesOf: size)
        #expect(isFit)
        #expect(answers == ["200 hello", "304 ", "404 no", "200 "])
    }

    @Test(arguments: [
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", "HTTP/2 200\r\nContent-Length: 1\r\n\r\n",
        "nothing of that kind\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: nameless\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 2004 OK\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 200\0OK\r\nContent-Length: 1\r\n\r\nx",
        // Each of these has a head, or a length, that others read otherwise.
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n \r\nX: y\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\rX: y\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\0\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello",
    ]) func whateverIsLessPlainIsUnfit(text: String) {
        #expect(read(text, inPiecesOf: 5) == ([], false))
    }

    @Test func aHeadWithoutEndIsUnfit() {
        #expect(
            read("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 400_000), inPiecesOf: 8192).isFit
                == false)
    }

    @Test(arguments: [
        ("pipelining", true), ("keep-alive, Pipelining", true), ("keep-alive", false), ("close", false),
        ("pipelinings", false), ("", false),
    ]) func aServerOffersItAsAConnectionOption(value: String, offers: Bool) {
        #expect(HeaderFields([("Connection", value)]).offersPipelining == offers)
        #expect(!HeaderFields([("X-Connection", value)]).offersPipelining)
    }

    private func wire(_ request: TransportRequest) throws -> String {
        var bytes: [UInt8] = []
        try SendTicket(request, into: MemorySink()).appendHead(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func aRequestIsWrittenAsItIsMeant() throws {
        #expect(
            try wire(
                .init(
                    url: "http://Museum.example:8080/a/../b%20c?d=e#f",
                    headers: ["If-None-Match": "\"x\"", "Expect": "100-continue", "Content-Length": "3"]))
                == "GET /a/../b%20c?d=e HTTP/1.1\r\nHost: museum.example:8080\r\nIf-None-Match: \"x\"\r\n"
                + "Accept: */*\r\nAccept-Encoding: identity\r\n\r\n")
        #expect(
            try wire(.init(url: "http://[::1]?d=e", headers: ["accept": "a/b", "ACCEPT-ENCODING": "br"]))
                == "GET /?d=e HTTP/1.1\r\nHost: [::1]\r\naccept: a/b\r\nACCEPT-ENCODING: br\r\n\r\n")
    }

    @Test func whatIsLargeGoesByItself() throws {
        var request = TransportRequest(url: "http://a.test/b")
        request.sharesConnection = false
        #expect(try !SendTicket(request, into: MemorySink()).mayShareConnection)
    }

    @Test(arguments: [
        (TransportRequest(url: "http://a.test/b"), true),
        (TransportRequest(url: "http://[fe80::1%25eth0]/b"), false),
        (TransportRequest(url: "https://a.test/b"), false),
        (TransportRequest(method: "HEAD", url: "http://a.test/b"), false),
        (TransportRequest(method: "POST", url: "http://a.test/b"), false),
        (TransportRequest(url: "http://a.test/b", body: [1]), false),
        (TransportRequest(url: "http://a.test/b c"), false),
        (TransportRequest(url: "http://a.test/\u{E9}"), false),
        (TransportRequest(url: "http://a.test/b", headers: ["Connection": "close"]), false),
        (TransportRequest(url: "http://a.test/b", headers: ["Host": "c.test"]), false),
        (TransportRequest(url: "http://a.test/b", headers: ["upgrade": "h2c"]), false),
    ]) func onlyPlainRequestsShareAConnection(request: TransportRequest, may: Bool) throws {
        #expect(try SendTicket(request, into: MemorySink()).mayShareConnection == may)
    }
}
