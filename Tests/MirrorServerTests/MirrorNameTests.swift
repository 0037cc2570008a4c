import MirrorStore
import Testing

@testable import MirrorServer

/// An id may be anything, and the first request names a partner by something that a person can type.
@Suite("What a partner is called in a request") struct MirrorNameTests {
    @Test(arguments: [
        (TestServer.partner, true), (TestServer.slug, true), ("test", true), ("other", false), ("", false),
    ])
    func isItsIDItsSlugOrTheMirrorsName(key: String, isMeant: Bool) throws {
        let test = try TestServer()
        let mirror = ServedMirror(name: "test", store: test.store, files: test.files)
        for _ in 0..<2 { #expect(try mirror.isOf(partner: key) == isMeant) }
    }
}
