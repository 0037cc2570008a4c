import Testing

@testable import MirrorHTTP

struct CanonicalURLTests {
    @Test(arguments: [
        ("HTTP://Example.ORG/a", "http://example.org/a"),
        ("http://example.org", "http://example.org/"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("http://example.org:0080/a", "http://example.org/a"),
        ("http://example.org:/a", "http://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("https://example.org:80/a", "https://example.org:80/a"),
        ("http://user:secret@example.org/a", "http://example.org/a"),
        ("http://[2001:DB8::1]:80/a", "http://[2001:db8::1]/a"),
        ("http://ex%41mple.org/a", "http://example.org/a"),
        ("http://h/a#part", "http://h/a"),
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("http://h/../../a", "http://h/a"),
        ("http://h/a/b/..", "http://h/a/"),
        ("http://h/a/.", "http://h/a/"),
        ("http://h/a//b", "http://h/a//b"),
        ("http://h/%7euser/%e2%82%ac", "http://h/~user/%E2%82%AC"),
        ("http://h/a%2fb", "http://h/a%2Fb"),
        ("http://h/a b\u{e9}", "http://h/a%20b%C3%A9"),
        ("http://h/100%", "http://h/100%25"),
        ("http://h/%zz", "http://h/%25zz"),
        ("http://h/artwork/%2e%2E", "http://h/artwork/%2E%2E"),
        ("http://h/artwork/.%2e/x", "http://h/artwork/%2E%2E/x"),
        ("http://h/artwork/%2e", "http://h/artwork/%2E"),
        ("http://h/a%2eb/%2e%2e%2e", "http://h/a.b/..."),
        ("http://h/a?b=2&a=1", "http://h/a?a=1&b=2"),
        ("http://h/a?a=2&b=0&a=1", "http://h/a?a=2&a=1&b=0"),
        ("http://h/a?%61=1", "http://h/a?a=1"),
        ("http://h/a?", "http://h/a"),
        ("http://h/a?&x=1&", "http://h/a?x=1"),
        ("http://h/a?x=a/b?c:d@e", "http://h/a?x=a/b?c:d@e"),
        ("http://h?x=1", "http://h/?x=1"),
        ("/artwork/x?b&a", "/artwork/x?a&b"),
        ("", ""),
    ])
    func aURLIsConvertedToItsCanonicalForm(_ url: String, _ expected: String) {
        #expect(CanonicalURL.normalise(url) == expected)
    }

    @Test(arguments: [
        ("http://h/a?x=1+2", "http://h/a?x=1%202"), ("http://h/a?x", "http://h/a?x="),
        ("http://h/a%2Fb", "http://h/a/b"), ("http://h/A", "http://h/a"), ("http://h/a/", "http://h/a"),
        ("http://h/a?x=1&x=2", "http://h/a?x=2&x=1"), ("http://h/%2E%2E", "http://h/"),
    ])
    func urlsThatAreNotEquivalentHaveDifferentCanonicalForms(_ a: String, _ b: String) {
        #expect(CanonicalURL.normalise(a) != CanonicalURL.normalise(b))
    }

    @Test func urlNormalisationIsIdempotent() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "http:", "https:", "//", "/", ".", "..", "%2e", "%2E", "%", "%4", "a", "B", ":", "80", ":443",
            "@", "?",
            "&", "=", "#", "%c3%A9", "é", " ", "[", "]", "~", "%7E", "x-y", "+", "\u{1F600}", ";", "\\",
            "%00",
        ]
        for _ in 0..<5_000 {
            let url = (0..<Int.random(in: 0...14, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
            let once = CanonicalURL.normalise(url)
            #expect(CanonicalURL.normalise(once) == once, "\(url)")
        }
    }

    @Test func equivalentURLsHaveTheSameCanonicalForm() {
        var generator = SeededGenerator(seed: 11)
        let segments = ["artwork", "x.y", "~a", "%2E%2E", "caf%C3%A9", "a%2Fb", "100%25", "...", "-_"]
        let items = ["ids=1", "size=all", "page=2", "q=%E2%82%AC", "a", "b="]
        for _ in 0..<2_000 {
            let path = (0..<Int.random(in: 1...4, using: &generator))
                .map { _ in segments.randomElement(using: &generator)! }
            let query = items.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
            let plain = "http://host.example/" + path.joined(separator: "/")
            let canonical = CanonicalURL.normalise(
                plain + (query.isEmpty ? "" : "?" + query.sorted().joined(separator: "&")))

            var spelled = ["http", "HTTP", "Http"].randomElement(using: &generator)! + "://"
            spelled += ["host.example", "HOST.example", "ho%73t.example"].randomElement(using: &generator)!
            spelled += ["", ":80", ":", ":080"].randomElement(using: &generator)!
            for segment in path {
                spelled += ["/", "/./", "/gone/../"].randomElement(using: &generator)!
                spelled += respelled(segment, using: &generator)
            }
            if !query.isEmpty {
                spelled += "?" + query.map { respelled($0, using: &generator) }.joined(separator: "&")
            }
            spelled += ["", "#part"].randomElement(using: &generator)!
            #expect(CanonicalURL.normalise(spelled) == canonical, "\(spelled)")
        }
    }

    /// The text with some letters percent-encoded, and hexadecimal digits in lower case.
    private func respelled(_ text: String, using generator: inout SeededGenerator) -> String {
        var result = ""
        var digits = 0
        for character in text {
            if digits > 0 {
                digits -= 1
                result += Bool.random(using: &generator) ? character.lowercased() : String(character)
            } else if character == "%" {
                digits = 2
                result.append(character)
            } else if character.isLetter, Int.random(in: 0..<4, using: &generator) == 0 {
                result += "%" + String(character.asciiValue!, radix: 16)
            } else {
                result.append(character)
            }
        }
        return result
    }

    @Test(arguments: [
        ("https://example.org/api/v1/artwork/x?a=1", "/artwork/x?a=1"),
        ("https://example.org/api/v1", ""), ("https://example.org/api/v1/", "/"),
        ("https://example.org/api/v1?x", "?x"), ("https://example.org/api/v10/x", "origin:/api/v10/x"),
        ("https://example.org/status", "origin:/status"), ("https://example.org/", "origin:/"),
        ("https://example.org:8443/api/v1/a", "https://example.org:8443/api/v1/a"),
        ("https://cdn.example/a.jpg", "https://cdn.example/a.jpg"),
    ])
    func cacheKeysAreRelativeToTheBase(_ url: String, _ key: String) {
        for base in ["https://example.org/api/v1", "https://example.org/api/v1/"] {
            #expect(CanonicalURL.relative(url, to: base) == key)
        }
    }

    @Test(arguments: [
        ("/x", "http://h/x"), ("x", "http://h/a/x"), ("../x", "http://h/x"), ("?q=1", "http://h/a/b?q=1"),
        ("#f", "http://h/a/b?z=1"), ("//o/x", "http://o/x"), ("HTTPS://O/x", "https://o/x"),
    ])
    func referencesAreResolvedAgainstAnAddress(_ reference: String, _ expected: String) {
        #expect(WebAddress("http://h/a/b?z=1")?.resolving(reference)?.text == expected)
    }
}
