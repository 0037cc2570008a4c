/// What a request that changes something makes invalid (RFC 9111, section 4.4).
enum Invalidation {
    /// The canonical, absolute URLs whose entries go: the target, and what `Location` and `Content-Location` name on
    /// the same origin. None after an error, and none for a safe method. A method that isn't known counts as unsafe.
    static func urls(request: CacheRequest, status: Int, headers: HeaderFields) -> [String] {
        guard !isSafe(request.method), (200..<400).contains(status) else { return [] }
        let target = CanonicalURL.normalise(request.url)
        var urls = [target]
        for name in ["Location", "Content-Location"] {
            guard let reference = headers.values(of: name).first, !reference.isEmpty else { continue }
            let url = CanonicalURL.resolve(reference, against: target)
            if CanonicalURL.origin(of: url) == CanonicalURL.origin(of: target), !urls.contains(url) {
                urls.append(url)
            }
        }
        return urls
    }

    static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
