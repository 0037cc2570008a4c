import Testing

@testable import MirrorHTTP

@Suite struct ProxyEnvironmentTests {
    @Test(
        arguments: [
            ("http://museum.example/", [:], nil),
            ("http://museum.example/", ["http_proxy": "10.0.0.1:3128"], "10.0.0.1:3128 (http_proxy)"),
            // CGI programs get a client's `Proxy` header field in this variable.
            ("http://museum.example/", ["HTTP_PROXY": "10.0.0.1:3128"], nil),
            ("https://museum.example/", ["http_proxy": "10.0.0.1:3128"], nil),
            (
                "https://museum.example/", ["HTTPS_PROXY": "http://ann:secret@p.example:8080/"],
                "p.example:8080 (HTTPS_PROXY)"
            ),
            (
                "https://museum.example:8443/",
                ["https_proxy": "socks5h://[::1]:1080", "all_proxy": "other"],
                "[::1]:1080 (https_proxy)"
            ),
            ("http://museum.example/", ["ALL_PROXY": "p"], "p (ALL_PROXY)"),
            ("http://museum.example:81/", ["all_proxy": "p", "no_proxy": "a.example, Museum.Example"], nil),
            ("http://api.museum.example/", ["all_proxy": "p", "NO_PROXY": ".museum.example"], nil),
            ("http://notmuseum.example/", ["all_proxy": "p", "no_proxy": "museum.example"], "p (all_proxy)"),
            ("http://museum.example/", ["all_proxy": "p", "no_proxy": "*"], nil),
            ("http://10.1.2.3/", ["all_proxy": "p", "no_proxy": "10.0.0.0/8"], nil),
            ("http://10.1.2.3/", ["all_proxy": "p", "no_proxy": "2.3"], "p (all_proxy)"),
            ("http://museum.example/", ["all_proxy": "p", "no_proxy": "10.0.0.0/8"], "p (all_proxy)"),
            ("http://[2001:db8::1]:80/", ["all_proxy": "p", "no_proxy": "2001:db8::1"], nil),
            ("http://127.0.0.1/", ["all_proxy": "p"], nil), ("http://localhost:80/", ["all_proxy": "p"], nil),
        ] as [(String, [String: String], String?)])
    func theProxyIsTheOneThatLibcurlUses(url: String, variables: [String: String], proxy: String?) throws {
        let found = ProxyEnvironment { variables[$0] }.proxy(for: try RequestTarget(url))
        #expect(found?.description == proxy.map { "the proxy \($0)" })
    }

    @Test(arguments: [
        ("https://p.example:3129", true), ("HTTPS://p.example", true), ("http://p.example", false),
        ("p.example:443", false), ("socks5h://p.example", false),
    ])
    func onlyAnHTTPSProxyIsSecure(written: String, isSecure: Bool) throws {
        let environment = ProxyEnvironment { $0 == "all_proxy" ? written : nil }
        #expect(try environment.proxy(for: RequestTarget("http://museum.example/"))?.isSecure == isSecure)
    }
}
