import CCurl

extension CurlExchange {
    /// Sets what every request has of its own.
    func applyAddress(_ ticket: SendTicket) throws(TransportError) {
        guard ccurl_set_pointer(easy, CURLOPT_URL, ticket.request.url) == CURLE_OK else {
            throw TransportError(.unsupportedURL, "The URL is too long.", mayHaveReachedServer: false)
        }
        setHeaders(ticket)
    }

    /// Sets everything else on a new, or reset, handle.
    func applyOptions(_ ticket: SendTicket) {
        let request = ticket.request
        setCallbacks()
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 1)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // A name that is still being looked up must not hold up a cancellation.
        set(CURLOPT_QUICK_EXIT, 1)
        // Libcurl allocates it for each transfer. From 64 KiB on, freeing it makes glibc tidy its heap up, each time.
        set(CURLOPT_BUFFERSIZE, 32 << 10)
        if ccurl_set_pointer(easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK {
            set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP_HTTPS))
        }
        set(CURLOPT_CONNECTTIMEOUT_MS, request.limits.connect.wholeMilliseconds)
        if ticket.target.isSecure {
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            // Rather share a connection that is about to speak HTTP/2 than open one more.
            set(CURLOPT_PIPEWAIT, 1)
        } else {
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        setAuthorities()
        if ticket.target.isLoopback { _ = ccurl_set_pointer(easy, CURLOPT_PROXY, "") }
        setMethod(request)
    }

    private func set(_ option: CURLoption, _ value: Int) {
        // An option that an older library lacks keeps its default.
        _ = ccurl_set_long(easy, option, value)
    }

    /// Refused where libcurl is built on another library's store of certificates: then a server that only these vouch for
    /// isn't trusted.
    private func setAuthorities() {
        if let file = authorities.file {
            _ = ccurl_set_pointer(easy, CURLOPT_CAINFO, file)
            _ = ccurl_set_pointer(easy, CURLOPT_PROXY_CAINFO, file)
        }
        if let folder = authorities.folder {
            _ = ccurl_set_pointer(easy, CURLOPT_CAPATH, folder)
            _ = ccurl_set_pointer(easy, CURLOPT_PROXY_CAPATH, folder)
        }
    }

    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
        _ = ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        _ = ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        _ = ccurl_set_piece_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let exchange = CurlExchange.at(context) else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return exchange.readHeader(line) ? line.count : CurlExchange.refusal(of: line.count)
        }
        _ = ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        _ = ccurl_set_piece_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let exchange = CurlExchange.at(context) else { return 0 }
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return switch exchange.readBody(piece) {
            case .taken: piece.count
            case .paused: Int(CURL_WRITEFUNC_PAUSE)
            case .ended: CurlExchange.refusal(of: piece.count)
            }
        }
        _ = ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
        _ = ccurl_set_prerequest_function(easy) { context, address, _, _, _ in
            guard let exchange = CurlExchange.at(context) else { return 1 }
            let text = exchange.checksAddress ? address.map { String(cString: $0) } : nil
            return exchange.connected(to: text ?? "") ? 0 : 1
        }
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Any other number than the piece's own tells libcurl to end the transfer.
    private static func refusal(of count: Int) -> Int { count == 0 ? 1 : 0 }

    private func setMethod(_ request: TransportRequest) {
        switch (request.method, request.body) {
        case ("GET", nil): set(CURLOPT_HTTPGET, 1)
        case ("HEAD", _): set(CURLOPT_NOBODY, 1)
        case ("POST", nil), ("PUT", nil), ("PATCH", nil): setBody([], method: request.method)
        case (_, let body?): setBody(body, method: request.method)
        case (_, nil):
            set(CURLOPT_HTTPGET, 1)
            _ = ccurl_set_pointer(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
        // libcurl repeats any request on its own if a used connection closes before the first byte of an
        // answer. One that is not idempotent must not be repeated, so it gets a connection of its own.
        if !request.isIdempotent { set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private func setBody(_ body: [UInt8], method: String) {
        set(CURLOPT_POST, 1)
        _ = ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
        body.withUnsafeBytes { bytes in
            _ =
                bytes.baseAddress.map { ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0) }
                ?? ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, "")
        }
        if method != "POST" { _ = ccurl_set_pointer(easy, CURLOPT_CUSTOMREQUEST, method) }
    }

    private func setHeaders(_ ticket: SendTicket) {
        let request = ticket.request
        var hasContentType = false
        var hasAcceptEncoding = false
        headerList.removeAll()
        for line in request.headers.lines {
            switch line.name.utf8.count {
            case 12 where HeaderFields.same(line.name, "Content-Type"): hasContentType = true
            case 15 where HeaderFields.same(line.name, "Accept-Encoding"): hasAcceptEncoding = true
            default: if line.isFraming { continue }
            }
            let isBlank = line.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            // libcurl's own notation: "Name;" sends an empty value, "Name:" would send nothing.
            if isBlank {
                headerList.append(line.name, ";")
            } else {
                headerList.append(line.name, ": ", line.value)
            }
        }
        if request.body != nil || ["POST", "PUT", "PATCH"].contains(request.method) {
            headerList.append("Expect", ":")
            if !hasContentType { headerList.append("Content-Type", ":") }
        }
        // Decoded here, not by libcurl, which takes a body that breaks off for whole.
        if !hasAcceptEncoding {
            headerList.append("Accept-Encoding", ": ", ticket.decodesContent ? "gzip" : "identity")
        }
        _ = ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, headerList.linked())
    }
}

extension Duration {
    /// Rounded up, and at least 1: libcurl reads 0 as its default.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 31 else { return 1 << 31 }
        return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
