extension TransportRequest {
    /// Refuses what would not arrive as it was meant: a method or field name that is no token (RFC 9110,
    /// section 5.6.2), a line break within a field value.
    func validate() throws(TransportError) {
        guard Self.isToken(method) else { throw Self.refused("The request's method is no HTTP token") }
        for line in headers.lines {
            guard Self.isToken(line.name) else {
                throw Self.refused("The name of a header field is no HTTP token")
            }
            guard !Self.breaksLine(line.value) else {
                throw Self.refused("The header field \(line.name) holds a line break; trim it")
            }
        }
    }

    /// Whether the transport negotiates the content coding, and decodes it. Bytes of a range are bytes of the coded form, so
    /// none may be negotiated for them.
    var decodesContent: Bool {
        !headers.lines.contains {
            HeaderFields.same($0.name, "Accept-Encoding") || HeaderFields.same($0.name, "Range")
        }
    }

    /// Whether sending it twice does the same as sending it once (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        default: false
        }
    }

    private static func refused(_ message: String) -> TransportError {
        TransportError(.unsupportedURL, message + ".", mayHaveReachedServer: false)
    }

    private static func breaksLine(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { bytes in
            for byte in bytes where byte == 0x0D || byte == 0x0A || byte == 0 { return true }
            return false
        }
    }

    private static func isToken(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where !isTokenByte(byte) { return false }
            return !bytes.isEmpty
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}

extension HeaderFields.Line {
    /// Whether it says where a body ends, or has the other side wait for it: the transport's own business, and nothing waits
    /// for "100 Continue".
    var isFraming: Bool {
        switch name.utf8.count {
        case 6: HeaderFields.same(name, "Expect")
        case 14: HeaderFields.same(name, "Content-Length")
        case 17: HeaderFields.same(name, "Transfer-Encoding")
        default: false
        }
    }
}

extension TransportError {
    /// A limit of time has passed.
    init(expired code: Code, _ ticket: SendTicket, mayHaveReachedServer: Bool = true) {
        let limits = ticket.request.limits
        let words = code == .timedOut ? "took longer than \(limits.whole)" : "sent nothing for \(limits.idle)"
        self.init(code, "\(ticket.target.authority) \(words).", mayHaveReachedServer: mayHaveReachedServer)
    }
}

extension TransportResponse {
    /// The announced length of the body, if the head tells one and the method and status have a body. One that is beyond
    /// all numbers is the largest.
    func announcedLength(method: String) -> Int? {
        guard method != "HEAD", status != 304, status != 204, let text = headers["Content-Length"] else {
            return nil
        }
        if let length = Int(text) { return length }
        return text.utf8.count > 18 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? .max : nil
    }
}
