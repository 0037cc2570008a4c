/// What a request looks like on a connection that it shares with others.
extension SendTicket {
    /// Whether it may: a `GET` over plain HTTP whose answer is taken as it comes, and comes soon.
    ///
    /// A sink that makes a transfer pause would make those behind it wait, and over TLS no server says that its
    /// connections take several requests.
    var mayShareConnection: Bool {
        guard request.sharesConnection, request.method == "GET", request.body == nil, !target.isSecure,
            sink.pausing == nil
        else {
            return false
        }
        // What has a say in the connection itself, or in whom it leads to, has one of its own.
        for line in request.headers.lines {
            switch line.name.utf8.count {
            case 4 where HeaderFields.same(line.name, "Host"),
                7 where HeaderFields.same(line.name, "Upgrade"),
                10 where HeaderFields.same(line.name, "Connection"):
                return false
            default: continue
            }
        }
        // The zone of an address (RFC 4007) means something on this machine only.
        guard !target.origin.utf8.contains(UInt8(ascii: "%")) else { return false }
        var url = request.url
        return url.withUTF8 { bytes in
            for byte in bytes where byte <= 0x20 || byte >= 0x7F { return false }
            return true
        }
    }

    /// Appends the request as it goes on the wire.
    func appendHead(to bytes: inout [UInt8]) {
        bytes += "GET ".utf8
        let path = request.url.utf8.dropFirst(target.origin.utf8.count).prefix { $0 != UInt8(ascii: "#") }
        if path.first != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
        bytes += path
        bytes += " HTTP/1.1\r\nHost: ".utf8
        bytes += target.authority.utf8
        var hasAccept = false, hasCoding = false
        for line in request.headers.lines {
            switch line.name.utf8.count {
            case 6 where HeaderFields.same(line.name, "Accept"): hasAccept = true
            case 15 where HeaderFields.same(line.name, "Accept-Encoding"): hasCoding = true
            default: if line.isFraming { continue }
            }
            bytes += "\r\n".utf8
            bytes += line.name.utf8
            bytes += ": ".utf8
            bytes += line.value.utf8
        }
        if !hasAccept { bytes += "\r\nAccept: */*".utf8 }
        // Nothing is decoded here.
        if !hasCoding { bytes += "\r\nAccept-Encoding: identity".utf8 }
        bytes += "\r\n\r\n".utf8
    }
}
