import Foundation

/// The responses of the test server, by path.
enum Script {
    @Sendable static func answer(_ request: LoopbackServer.Request, on connection: Connection) {
        let isHead = request.method == "HEAD"
        switch request.path {
        case "/plain", "/../dots/./plain": plain(connection, withBody: !isHead)
        case "/chunked":
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            connection.send("6\r\n world\r\n0\r\n\r\n")
        case "/trailers":
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            connection.send("0\r\nX-Checksum: 1\r\n\r\n")
        case "/chunked-cut":
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhello")
            connection.close()
        case "/gzip": coded(connection, Gzip.stored(Array("hello world".utf8)), withBody: !isHead)
        case "/bomb": coded(connection, Gzip.bomb, withBody: true)
        case "/unknown-coding":
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: martian\r\nContent-Length: 2\r\n\r\nhi")
        case "/slow": slow(connection)
        case "/drip": drip(connection)
        case "/close-early": connection.close()
        case "/truncated":
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
            connection.close()
        case "/beyond-numbers":
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello")
            connection.awaitClose()
        case "/large-bomb": coded(connection, Gzip.largeBomb, withBody: true)
        case "/reset":
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
            connection.reset()
        case "/informational":
            connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            plain(connection, withBody: true)
        case "/large-header":
            connection.send("HTTP/1.1 200 OK\r\nX-Large: \(String(repeating: "x", count: 100_000))\r\n")
            connection.send("Content-Length: 5\r\n\r\nhello")
        case "/many-headers":
            connection.send("HTTP/1.1 200 OK\r\n")
            for number in 0..<400 {
                connection.send("X-Field-\(number): \(String(repeating: "x", count: 1000))\r\n")
            }
            connection.send("Content-Length: 5\r\n\r\nhello")
        case "/fields":
            connection.send("HTTP/1.1 200 OK\r\nX-One: a\r\nX-Two:\r\nx-one:  b \r\nX-Latin: caf\u{E9}\r\n")
            connection.send("Content-Length: 5\r\n\r\nhello")
        case "/redirect":
            connection.send("HTTP/1.1 302 Found\r\nLocation: /plain\r\nContent-Length: 5\r\n\r\nmoved")
        case "/challenge":
            connection.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"\r\n")
            connection.send("Content-Length: 2\r\n\r\nno")
        case "/204": connection.send("HTTP/1.1 204 No Content\r\nETag: \"a\"\r\n\r\n")
        case "/304": connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\n")
        case "/huge": huge(connection)
        case "/garbage":
            connection.send("this is no HTTP\r\n\r\n")
            connection.close()
        case "/never": connection.awaitClose()
        case "/echo":
            let text = request.head + String(decoding: request.body, as: UTF8.self)
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        case "/second-time-closes":
            // As if the server's keep-alive time ended when the next request arrived.
            if request.earlier > 0 { connection.close() } else { plain(connection, withBody: !isHead) }
        case let path where path.hasPrefix("/coded/"):
            let body = CodedBody.all.first { "/coded/\($0.name)" == path }
            coded(connection, body?.bytes ?? [], as: body?.field ?? "gzip", withBody: !isHead)
        default: connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private static func plain(_ connection: Connection, withBody: Bool) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n")
        if withBody { connection.send("hello") }
    }

    private static func coded(
        _ connection: Connection, _ body: [UInt8], as field: String = "gzip", withBody: Bool
    ) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(field)\r\n")
        connection.send("Content-Length: \(body.count)\r\n\r\n")
        if withBody { connection.send(body) }
    }

    private static func slow(_ connection: Connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
        for _ in 0..<5 {
            Thread.sleep(forTimeInterval: 0.01)
            connection.send("ab")
        }
    }

    /// Sends a byte every few milliseconds until the client closes the connection.
    private static func drip(_ connection: Connection) {
        connection.send("HTTP/1.1 200 OK\r\n\r\n")
        while !connection.isClosed {
            connection.send("a")
            Thread.sleep(forTimeInterval: 0.005)
        }
    }

    /// Sends 32 MiB in pieces, or until the client closes the connection.
    private static func huge(_ connection: Connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(32 << 20)\r\n\r\n")
        let piece = [UInt8](repeating: 7, count: 1 << 18)
        for _ in 0..<128 where !connection.isClosed { connection.send(piece) }
    }
}

/// A minimal gzip encoder (RFC 1952) for the test server.
enum Gzip {
    /// One stored block (RFC 1951, section 3.2.4) of up to 65,535 bytes.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1]
        file += little(length)
        file += little(~length)
        file += bytes
        file += little(crc(bytes))
        file += little(UInt32(bytes.count))
        return file
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// 20 MiB of zeros without an end: one zero, then copies of 258 bytes in the fixed code of RFC 1951, section 3.2.6.
    static let largeBomb: [UInt8] = {
        var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255], bits: UInt8 = 0, count = 0
        func put(_ code: String) {
            for bit in code.utf8 {
                if bit == UInt8(ascii: "1") { bits |= 1 << count }
                count += 1
                if count == 8 {
                    file.append(bits)
                    (bits, count) = (0, 0)
                }
            }
        }
        put("110" + "00110000")
        for _ in 0..<(20 << 20) / 258 { put("11000101" + "00000") }
        return file
    }()

    /// A mebibyte of zeros, compressed.
    static let bomb: [UInt8] = {
        let text =
            "H4sIAAAAAAAC/+3BMQEAAADCoPVPbQhfo" + String(repeating: "A", count: 1355) + "PgMc6jinAAAQAA=="
        return Data(base64Encoded: text).map { Array($0) } ?? []
    }()
}
