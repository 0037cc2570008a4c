import Testing

@testable import CatalogueSources

@Suite struct PictureAddressTests {
    @Test(arguments: [
        (
            "https://images.example.org/a/A 1.jpg", "https://images.example.org/a/A%201.jpg",
            "images.example.org"
        ),
        (
            " https://images.example.org/é?q=<1>#top \n", "https://images.example.org/%C3%A9?q=%3C1%3E",
            "images.example.org"
        ),
        ("HTTPS://Images.Example.ORG:443/a", "HTTPS://Images.Example.ORG:443/a", "images.example.org"),
        ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a", "127.0.0.1:8080"),
        // Existing escapes are kept, other percent signs are encoded.
        ("https://a.org/100%/%20%zz", "https://a.org/100%25/%20%25zz", "a.org"),
        ("https://a.org", "https://a.org", "a.org"), ("https://a.org?x", "https://a.org?x", "a.org"),
    ]) func anAddressIsEncodedWhereURLsNeedIt(_ text: String, _ url: String, _ host: String) throws {
        let address = try #require(PictureAddress(text))
        #expect(address.url == url)
        #expect(address.host == host)
    }

    @Test(arguments: [
        "", "/a.jpg", "//a.org/a.jpg", "ftp://a.org/a", "file:///etc/passwd", "javascript:alert(1)",
        "https://",
        "https:///a", "https://me@a.org/a", "https://a.org\\@evil.org/", "https://a org/",
        "data:image/png;base64,AA==",
    ]) func whatIsNoWebAddressIsRefused(_ text: String) {
        #expect(PictureAddress(text) == nil)
    }

    @Test func onlyTheBasesHostAndListedHostsAreUsed() {
        let hosts = PictureHosts(base: "https://api.example.org/v1", others: ["images.example.org"])
        for host in ["api.example.org", "images.example.org"] { #expect(hosts.contains(host)) }
        for host in [
            "example.org", "images.example.org:8080", "evil-images.example.org", "images.example.org.evil",
            "",
        ] {
            #expect(!hosts.contains(host))
        }
    }
}
