import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite("The server that mirror open uses") struct RunningServerTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:8080"), ("::1", "http://[::1]:8080"),
        ("localhost", "http://localhost:8080"),
    ])
    func `it is found at the address on which it listens`(host: String, url: String) throws {
        let address = RunningServer.Address(host: host, port: 8_080, isStaff: true)
        let running = try #require(RunningServer(address, in: home.home))
        let found = RunningServer.find(in: home.home)
        #expect(found == address && found?.url == url)
        running.end()
        #expect(RunningServer.find(in: home.home) == nil)
    }

    @Test func `a file that no process has locked is not a running server`() throws {
        let address = RunningServer.Address(port: 8_080, isStaff: false)
        let text = #"{"host":"127.0.0.1","port":8080,"staff":false}"#
        try text.write(toFile: "\(home.path)/.server", atomically: true, encoding: .utf8)
        #expect(RunningServer.find(in: home.home) == nil)
        let running = try #require(RunningServer(address, in: home.home))
        #expect(RunningServer.find(in: home.home) == address)
        running.end()
    }

    @Test(arguments: ["evil.example/", "a@b", "", "a b"])
    func `a host that cannot be one is not used`(host: String) throws {
        let address = RunningServer.Address(host: host, port: 8_080, isStaff: false)
        let running = try #require(RunningServer(address, in: home.home))
        #expect(RunningServer.find(in: home.home) == nil)
        running.end()
    }
}

@Suite("The page that mirror open shows") struct PagePathTests {
    @Test(arguments: [
        ("", "/states"), ("/", "/states"), ("/artworks", "/states/artworks"),
        ("artworks", "/states/artworks"),
        ("/search?q=Dürer und Söhne", "/states/search?q=D%C3%BCrer%20und%20S%C3%B6hne"),
        ("/search?q=a%20b+c&sort=date", "/states/search?q=a%20b+c&sort=date"),
        ("/search?q=100%", "/states/search?q=100%25"), ("/search?q=\"<#>", "/states/search?q=%22%3C%23%3E"),
        ("/artwork/a b", "/states/artwork/a%20b"), ("/artwork/a%2Fb", "/states/artwork/a%2Fb"),
        ("/states/artworks", "/states/artworks"), ("/states", "/states"),
        ("/states/states", "/states/states"), ("/artwork/..", "/states/artwork/~.."),
        ("/artwork/~.", "/states/artwork/~."),
    ])
    func `a path is percent-encoded below its mirror`(typed: String, path: String) {
        #expect(PagePath.encoded(typed, of: "states") == path)
    }

    @Test func `a path of a page wins over the name of the mirror`() {
        #expect(PagePath.encoded("/artist/hokusai", of: "artist") == "/artist/artist/hokusai")
        #expect(PagePath.encoded("/search?q=x", of: "search") == "/search/search?q=x")
        #expect(PagePath.encoded("/artist/artist/hokusai", of: "artist") == "/artist/artist/hokusai")
    }

    @Test(arguments: [["states", "https://evil.example/x"], ["http://localhost:8080/states/artworks"]])
    func `a complete address is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try MirrorCommand.parseAsRoot(["open"] + arguments) }
        #expect(!PagePath.isAddress("/search?q=https://a") && !PagePath.isAddress("search?q=https://a"))
    }

    @Test func `a path is accepted`() throws {
        _ = try MirrorCommand.parseAsRoot(["open", "states", "/search?q=https://a"])
    }
}

@Suite("Starting a browser") struct BrowserTests {
    private func browser(_ programs: String) -> Browser { Browser(environment: ["BROWSER": programs]) }

    @Test func `the programs of BROWSER are tried first, in order`() {
        #expect(
            browser("firefox -new-tab %s:lynx").programs.prefix(2) == [
                ["firefox", "-new-tab", "%s"], ["lynx"],
            ])
        #expect(Browser(environment: [:]).programs.count == 1)
    }

    @Test func `a program that fails or cannot be started is followed by the next`() async {
        #expect(await browser("/nothing/here:false:true").open("http://localhost/"))
    }
}
