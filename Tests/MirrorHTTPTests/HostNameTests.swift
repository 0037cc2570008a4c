import MirrorHTTP
import Testing

@Suite("Host names in addresses")
struct HostNameTests {
    @Test(arguments: [
        ("https://bücher.example/api/v1", "https://xn--bcher-kva.example/api/v1"),
        ("https://BÜCHER.Example", "https://xn--bcher-kva.example/"),
        // With a combining mark, and percent-encoded.
        ("https://bu\u{308}cher.example", "https://xn--bcher-kva.example/"),
        ("https://b%C3%BCcher.example", "https://xn--bcher-kva.example/"),
        ("http://музей.example:8080/x", "http://xn--e1adhj9a.example:8080/x"),
        ("https://faß.example", "https://xn--fa-hia.example/"),
        ("Http://Museum.Example/API", "http://museum.example/API"),
        ("HTTPS://museum.example:443", "https://museum.example/"),
    ])
    func anInternationalHostNameIsConvertedToASCII(written: String, text: String) {
        #expect(WebAddress(written)?.text == text)
        #expect(WebAddress(text)?.text == text)
    }

    @Test(arguments: [
        "https://ü..example/", "https://-ü.example/", "https://m%75seum.example/", "https://ü%2Fx/",
        "https://a\u{2100}b.example/", "https://ü@museum.example/", "https://ü%FF.example/",
        "https://[::ü]/", "https://ü:x/",
    ])
    func aHostNameWithoutAnASCIIFormIsRefused(written: String) {
        #expect(WebAddress(written) == nil)
    }

    @Test func theMessageAboutAnUntrustedCertificateContainsTheOptions() throws {
        let address = try #require(WebAddress("https://museum.example/"))
        let message = HTTPError.from(TransportError(.badCertificate, "self-signed"), at: address).message
        for way in ["--ca-file"] + CertificateAuthorities.variables {
            #expect(message.contains(way), "\(way)")
        }
    }
}
