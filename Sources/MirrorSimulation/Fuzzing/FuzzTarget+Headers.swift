import Foundation
import MirrorHTTP

/// Targets for header fields, and for what is read from the first bytes of a body.
extension FuzzTarget {
    private static let words = [
        ",", ";", "=", "\"", "\\\"", "W/\"", "*", "max-age=", "no-cache=\"", "no-store", "stale-if-error=9",
        "s-maxage",
        "immutable", "; Secure", "; Path=/", "; Max-Age=", "; Expires=", "HttpOnly", "Date: ", "Expires: ",
        "Age: ",
        "Last-Modified: ", "Vary: ", "Cache-Control: ", "\r\n", "\n", "\r", "\t ", ": ", "é",
        "99999999999999999999",
        "nan", "-1", "1e400", "0x1p-3", "Sun, 06 Nov 1994 08:49:37 GMT",
    ]

    static let headers = [
        FuzzTarget(
            "response head",
            seeds: [
                "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: \"a\"\r\n folded\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 304\r\nCache-Control: max-age=60\r\nVary: Accept\r\n\r\nTrailer: x\r\n",
                "HTTP/1.0 404 Not Found\nX: caf\u{E9}\n\n",
            ], words: words + ["HTTP/1.1 200 OK\r\n", "HTTP/2 101\r\n"], check: checkHead),
        FuzzTarget(
            "cache control",
            seeds: [
                "no-cache", "max-age=60, must-revalidate",
                "private, no-cache=\"Set-Cookie, X\", max-age=\"5\"",
                "max-stale, min-fresh=5, only-if-cached", "max-age = 5",
                "public,,immutable, stale-while-revalidate=1",
            ], words: words, check: checkCacheControl),
        FuzzTarget(
            "freshness",
            seeds: [
                "Date: Sun, 06 Nov 1994 08:49:37 GMT\nExpires: Sun, 06 Nov 1994 09:49:37 GMT\nAge: 5",
                "Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT\nDate: Sun Nov  6 08:49:37 1994",
                "Cache-Control: max-age=99999999999\nAge: 1, 2", "Expires: 0",
            ], words: words, check: checkFreshness),
        FuzzTarget(
            "vary",
            seeds: [
                "Accept, X-Access-Token\ntext/html , a/b", "*\nx", "accept-language\nDE, en;q=0.5",
                "Cookie\na=b",
            ],
            words: words + ["Accept", "cookie"], check: checkVary),
        FuzzTarget(
            "set-cookie",
            seeds: [
                "AuthSession=abc; HttpOnly; Path=/; Version=1",
                "a=b; Max-Age=60; Secure; Domain=evil.example",
                "x=; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "=v", "n", "a=\"b c\"; Path=/p/",
            ], words: words, check: checkCookie),
        FuzzTarget(
            "retry-after",
            seeds: ["120", "0", "Sun, 06 Nov 1994 08:49:37 GMT", "-1", "99999999999999999999", " 5 "],
            words: words, check: checkRetryAfter),
        FuzzTarget(
            "content range",
            seeds: ["bytes 0-9/10", "bytes */10", "bytes 5-9/*", "BYTES 0-0/1", "items 0-1/2"],
            words: ["-", "/", "*", "bytes ", "9223372036854775807", " "], check: checkContentRange),
        FuzzTarget(
            "first bytes",
            seeds: [
                "%PDF-1.7", "GIF89a", "BM012345\u{0}\u{0}\u{0}\u{0}0000", "RIFF0000WEBP", "0000ftypavif",
                "plain text\n",
            ],
            words: ["\u{FFFD}", "é", "\u{1F600}", "\n", String(repeating: "long ", count: 110)],
            check: checkSignature),
        FuzzTarget(
            "error body",
            seeds: ["{\"error\":\"since_too_old\"}", "{\"error\":1}", "{\"error\":\"a b\"}", "<html>"],
            words: jsonWords + ["\"error\":"], check: checkErrorBody),
    ]

    private static func text(_ input: [UInt8]) -> String { String(decoding: input, as: UTF8.self) }

    private static func checkHead(_ input: [UInt8]) throws(FuzzFinding) {
        var reader = ResponseHeadReader(), start = 0, steps = 0
        while start < input.count {
            let end = input[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? input.count
            let step = input[start..<end].withUnsafeBytes { reader.read($0) }
            start = end
            steps += 1
            guard step == .more || step == .complete else { return }
            try FuzzFinding.unless(reader.fields.lines.count <= steps, "There are no more fields than lines.")
            guard step == .complete else { continue }
            try FuzzFinding.unless((100...999).contains(reader.status), "A head has a status.")
            try FuzzFinding.unless(
                reader.fields.lines.allSatisfy { !$0.name.isEmpty && !$0.value.utf8.contains(0x0A) },
                "A field has a name, and its value is one line.")
        }
    }

    private static func checkCacheControl(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input), control = CacheControl([text])
        let upper = String(
            decoding: text.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
        try FuzzFinding.unless(CacheControl([upper]) == control, "The case of letters changes nothing.")
        try FuzzFinding.unless(CacheControl([" , " + text]) == control, "Empty members change nothing.")
        try FuzzFinding.unless(
            CacheControl(HeaderFields([("cache-control", text)])) == control,
            "A field is read like its value.")
        let seconds = [
            control.maxAge, control.minFresh, control.staleIfError, control.staleWhileRevalidate,
        ].compactMap(\.self)
        try FuzzFinding.unless(
            seconds.allSatisfy { (0...2_147_483_648).contains($0) } && (control.maxStale ?? 0) >= 0,
            "Seconds are neither negative nor unlimited.")
    }

    private static func fields(_ text: String) -> HeaderFields {
        HeaderFields(
            text.utf8.split(separator: 0x0A).compactMap { line in
                guard let colon = line.firstIndex(of: 0x3A) else { return nil }
                return (String(Substring(line[..<colon])), String(Substring(line[colon...].dropFirst(2))))
            })
    }

    private static func checkFreshness(_ input: [UInt8]) throws(FuzzFinding) {
        let headers = fields(text(input)), control = CacheControl(headers)
        for now in [784_111_777.0, 1_000_000_000, 0] {
            let freshness = Freshness(
                status: 200, headers: headers, control: control, requestTime: 784_111_776,
                responseTime: 784_111_777, now: now)
            try FuzzFinding.unless(
                freshness.age.isFinite && freshness.age >= 0 && freshness.lifetime.isFinite
                    && freshness.lifetime >= 0,
                "Age and lifetime are numbers of seconds.")
        }
    }

    private static func checkVary(_ input: [UInt8]) throws(FuzzFinding) {
        let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false).map {
            text(Array($0))
        }
        let isToken = { (byte: UInt8) in
            (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2C || byte == 0x20
        }
        guard parts.count == 2, parts[0].utf8.allSatisfy(isToken) else { return }
        let names = parts[0].split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
        var request = HeaderFields()
        for name in names.prefix(3) { request.append(name, parts[1]) }
        guard let key = VaryKey(response: ["Vary": parts[0]], request: request) else { return }
        try FuzzFinding.unless(
            key.matches(request), "A response that was stored for a request is found for it.")
        try FuzzFinding.unless(
            names.map { $0.lowercased() } != ["cookie"] || parts[1].utf8.count < 24
                || !key.text.contains(parts[1]),
            "No credential is stored.")
    }

    private static func checkCookie(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input), now = Date(timeIntervalSince1970: 1_000_000_000)
        guard let address = WebAddress("http://h.example/api/v1/me"),
            let other = WebAddress("http://evil.example/api/v1/me")
        else { throw FuzzFinding("A valid address is parsed.") }
        var jar = CookieJar()
        jar.store(["Set-Cookie": text], from: address, now: now)
        try FuzzFinding.unless(
            jar.header(for: other, now: now) == nil, "A cookie is sent only to the host that set it.")
        if let header = jar.header(for: address, now: now) {
            try FuzzFinding.unless(
                header.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3B },
                "A cookie consists of visible ASCII.")
        }
        guard let cookie = Cookie(setCookie: text, from: address, now: now) else { return }
        let again = Cookie(setCookie: "\(cookie.name)=\(cookie.value)", from: address, now: now)
        try FuzzFinding.unless(
            again?.name == cookie.name && again?.value == cookie.value,
            "A cookie's name and value that are written and read again are the same.")
    }

    private static func checkRetryAfter(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input), now = Date(timeIntervalSince1970: 784_111_777)
        guard let wait = RetryAfter.wait(text, now: now) else { return }
        try FuzzFinding.unless(wait >= .zero, "No wait is negative.")
        try FuzzFinding.unless(
            RetryAfter.wait(" \t" + text + " ", now: now) == wait,
            "White space around a value changes nothing.")
    }

    private static func checkContentRange(_ input: [UInt8]) throws(FuzzFinding) {
        guard let range = ContentRange(text(input)) else { return }
        guard let bytes = range.range else {
            return try FuzzFinding.unless((range.total ?? 0) >= 0, "No length is negative.")
        }
        try FuzzFinding.unless(
            bytes.lowerBound >= 0 && range.total.map { bytes.upperBound < $0 } ?? true,
            "A range is within its file.")
        let total = range.total.map(String.init) ?? "*"
        try FuzzFinding.unless(
            ContentRange("bytes \(bytes.lowerBound)-\(bytes.upperBound)/\(total)") == range,
            "A range that is written and read again is the same.")
    }

    private static func checkSignature(_ input: [UInt8]) throws(FuzzFinding) {
        let type = MediaType(signature: input)
        try FuzzFinding.unless(
            !type.isPicture || type.contentType.hasPrefix("image/"), "A picture has the content type of one.")
        guard type != .text || input.count <= 4096 else { return }
        let first = MediaType(signature: Array(input.prefix(MediaType.signatureLength)))
        try FuzzFinding.unless(
            type != .text || first == .text,
            "The first bytes of a text are text, even if they end within a character.")
    }

    private static func checkErrorBody(_ input: [UInt8]) throws(FuzzFinding) {
        guard let reason = ErrorBody.reason(input) else { return }
        try FuzzFinding.unless(
            (1...64).contains(reason.utf8.count) && reason.utf8.allSatisfy { (0x21...0x7E).contains($0) },
            "A reason is one word of visible ASCII.")
    }
}
