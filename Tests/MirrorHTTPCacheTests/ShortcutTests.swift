import Testing

@testable import MirrorHTTP

/// What is decided without the long way round must come out as it would there.
struct ShortcutTests {
    @Test func plainPathsAreCanonicalAlready() {
        var generator = SeededGenerator(seed: 11)
        let pieces = [
            "/", "/", ".", "..", "a", "artwork", "%2e", "%", "~", "?", "#", " ", "é", "x-y", ":", "@", "\\",
        ]
        var plain = 0
        for _ in 0..<20_000 {
            let path =
                "/"
                + (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    pieces.randomElement(using: &generator) ?? ""
                }.joined()
            guard CanonicalURL.isPlainPath(path) else { continue }
            plain += 1
            #expect(CanonicalURL.normalise("http://h/api/v1" + path) == "http://h/api/v1" + path)
        }
        #expect(plain > 1000)
        #expect(CanonicalURL.isPlainPath("/artwork/4d8b92944eb68a1b2c000001"))
        for path in ["", "artwork", "/a?b", "/.", "/../a", "/a/.b", "/%41", "/a b", "/a#b"] {
            #expect(!CanonicalURL.isPlainPath(path))
        }
    }

    @Test func fixedDatesAreReadAsOtherDatesAre() {
        var generator = SeededGenerator(seed: 12)
        let digits = Array("0123456789".utf8)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = Array(HTTPDate.format(Double.random(in: 0...4_000_000_000, using: &generator)).utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                bytes[index] =
                    Bool.random(using: &generator)
                    ? digits.randomElement(using: &generator) ?? 0
                    : UInt8.random(in: 32...126, using: &generator)
            }
            bytes.withUnsafeBufferPointer { bytes in
                var reader = HTTPDate.Reader(bytes: bytes)
                guard let fixed = HTTPDate.FixedDate.parse(bytes) else { return }
                read += 1
                #expect(reader.date(now: epoch) == fixed)
            }
        }
        #expect(read > 5000)
    }

    @Test func keysAreTheSameEitherWay() throws {
        let folder = CacheFolder()
        let base = "https://example.org/api/v1"
        let cache = folder.open(base: base)
        let session = try InterceptableSession(base: base, transport: NoTransport(), cache: cache)
        for path in [
            "", "/", "/artwork/a", "/artwork/a?b=2&a=1", "/a/../b", "/a%41", "/.hidden", "/a//b", "/ü",
        ] {
            let address = try session.address(of: .relative(path))
            #expect(session.key(of: address, in: cache) == cache.key(for: base + path))
            #expect(address == WebAddress(base + path))
        }
        let beside = try session.address(of: .beside("/status"))
        #expect(session.key(of: beside, in: cache) == "origin:/status")
    }

    /// What `address(of:)` and `key(of:)` leave out for plain paths comes out as the long way round has it.
    @Test func keysOfOddAddressesAreTheSameEitherWay() throws {
        var generator = SeededGenerator(seed: 13)
        let pieces = [
            "/", "//", ".", "..", "/.", "/..", "a", "A", "%41", "%2f", "%2F", "%2e%2E", "%", "%4", "%zz", "?",
            "?", "&",
            "=", ";", "+", "%20", " ", "é", "%C3%A9", ":", "@", "'", "(", "~", "!", "*", "$", ",", "[", "|",
            "\"", "b=2",
            "a=1", String(repeating: "x", count: 3000),
        ]
        let bases = [
            "https://example.org/api/v1", "https://example.org", "http://EXAMPLE.org:80/Api/v1/",
            "http://[::1]:8080/m/api/v1", "https://example.org/a%41/b~%7e",
        ]
        var keys = 0
        for base in bases {
            let cache = CacheFolder().open(base: base)
            let session = try InterceptableSession(base: base, transport: NoTransport(), cache: cache)
            for _ in 0..<500 {
                let tail =
                    (Bool.random(using: &generator) ? "/" : "?")
                    + (0..<Int.random(in: 0...7, using: &generator)).map { _ in
                        pieces.randomElement(using: &generator) ?? ""
                    }.joined()
                guard let whole = WebAddress(session.base + tail) else { continue }
                let address = try session.address(of: .relative(tail))
                #expect(address.text == whole.text && address.target == whole.target)
                #expect(address.path == whole.path && address.origin == whole.origin)
                let key = session.key(of: address, in: cache)
                #expect(key == cache.key(for: whole.text))
                #expect(key == cache.key(for: CanonicalURL.normalise(whole.text)))
                #expect(CanonicalURL.normalise(whole.text) == CanonicalURL.absolute(key, base: cache.base))
                keys += 1
            }
        }
        #expect(keys > 1_500)
    }

    private struct NoTransport: Transport {
        func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
            throw TransportError(.cannotConnect, "There is no network here.", mayHaveReachedServer: false)
        }
    }
}
