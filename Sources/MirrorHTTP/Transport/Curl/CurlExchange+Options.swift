import CCurl

extension CurlExchange {
    /// The exchange of an easy handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlExchange? {
        var context: UnsafeMutableRawPointer?
        return ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK ? at(context) : nil
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets all options of a new handle for the request.
    func applyOptions() throws(TransportError) {
        let (request, authorities) = (ticket.request, configuration.authorities)
        guard ccurl_set_pointer(easy, CURLOPT_URL, request.url) == CURLE_OK else {
            throw TransportError(.unsupportedURL, "The URL is too long.", mayHaveReachedServer: false)
        }
        setCallbacks()
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 1)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // A running DNS lookup must not delay a cancellation.
        set(CURLOPT_QUICK_EXIT, 1)
        // libcurl allocates this buffer for each transfer. Freeing 64 KiB or more makes glibc consolidate its heap.
        set(CURLOPT_BUFFERSIZE, 32 << 10)
        if ccurl_set_pointer(easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK {
            set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP_HTTPS))
        }
        set(CURLOPT_CONNECTTIMEOUT_MS, request.limits.connect.wholeMilliseconds)
        if ticket.target.isSecure {
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            // Wait for a connection that may become HTTP/2, instead of opening another one.
            set(CURLOPT_PIPEWAIT, 1)
        } else {
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        // Some TLS libraries don't support these options. Certificates of such authorities then aren't trusted.
        if let file = authorities.file {
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_PROXY_CAINFO, file)
        }
        if let folder = authorities.folder {
            set(CURLOPT_CAPATH, folder)
            set(CURLOPT_PROXY_CAPATH, folder)
        }
        if ticket.target.isLoopback { set(CURLOPT_PROXY, "") }
        setMethod()
        setHeaders()
    }

    // An option that an older libcurl doesn't have is ignored.
    private func set(_ option: CURLoption, _ value: Int) { _ = ccurl_set_long(easy, option, value) }
    private func set(_ option: CURLoption, _ text: String) { _ = ccurl_set_pointer(easy, option, text) }
    private func set(_ option: CURLoption, _ context: UnsafeRawPointer?) {
        _ = ccurl_set_pointer(easy, option, context)
    }

    private func setCallbacks() {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        set(CURLOPT_PRIVATE, context)
        set(CURLOPT_ERRORBUFFER, UnsafeRawPointer(errorText))
        set(CURLOPT_HEADERDATA, context)
        _ = ccurl_set_piece_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let exchange = CurlExchange.at(context) else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return exchange.readHeader(line) ? line.count : CurlExchange.refusal(of: line.count)
        }
        set(CURLOPT_WRITEDATA, context)
        _ = ccurl_set_piece_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let exchange = CurlExchange.at(context) else { return 0 }
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return switch exchange.readBody(piece) {
            case .consumed: piece.count
            case .paused: Int(CURL_WRITEFUNC_PAUSE)
            case .ended: CurlExchange.refusal(of: piece.count)
            }
        }
        set(CURLOPT_PREREQDATA, context)
        _ = ccurl_set_prerequest_function(easy) { context, address, _, _, _ in
            guard let exchange = CurlExchange.at(context) else { return 1 }
            return exchange.connected(to: address.map { String(cString: $0) } ?? "") ? 0 : 1
        }
    }

    /// The return value that makes libcurl end the transfer: any number other than the piece's length.
    private static func refusal(of count: Int) -> Int { count == 0 ? 1 : 0 }

    /// Whether the request is sent with a body, which may be empty.
    private var hasBody: Bool {
        ticket.request.body != nil || ["POST", "PUT", "PATCH"].contains(ticket.request.method)
    }

    private func setMethod() {
        let request = ticket.request
        if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if hasBody {
            let body = request.body ?? []
            set(CURLOPT_POST, 1)
            _ = ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
            // Without a pointer, libcurl would call a read function for the body; so an empty body gets one too.
            (body + [0]).withUnsafeBytes { set(CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
            if request.method != "POST" { set(CURLOPT_CUSTOMREQUEST, request.method) }
        } else {
            set(CURLOPT_HTTPGET, 1)
            if request.method != "GET" { set(CURLOPT_CUSTOMREQUEST, request.method) }
        }
        // libcurl repeats any request if a reused connection is closed before the first byte of a response. Requests that
        // aren't idempotent must not be repeated, so they get a new connection.
        if !request.isIdempotent { set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private func setHeaders() {
        let request = ticket.request
        for line in request.headers.lines where !line.isFraming {
            let isBlank = line.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            // libcurl's notation: "Name;" sends an empty value, "Name:" removes the field.
            append(isBlank ? "\(line.name);" : "\(line.name): \(line.value)")
        }
        if hasBody {
            append("Expect:")
            if !request.headers.has("Content-Type") { append("Content-Type:") }
        }
        // The body isn't decoded by libcurl, because libcurl accepts a truncated gzip body as complete.
        if !request.headers.has("Accept-Encoding") {
            append("Accept-Encoding: \(ticket.decodesContent ? "gzip" : "identity")")
        }
        set(CURLOPT_HTTPHEADER, UnsafeRawPointer(headerLines))
    }

    private func append(_ line: String) {
        // If memory runs out, the list stays unchanged.
        headerLines = curl_slist_append(headerLines, line) ?? headerLines
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, and at least 1, because libcurl uses its default for 0.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 31 else { return 1 << 31 }
        return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
