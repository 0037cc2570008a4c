import MirrorStore
import Testing

@testable import MirrorServer

/// The first request of a mirror contains a name that a person typed, not the id.
@Suite("The name of a partner in a request") struct MirrorNameTests {
    @Test(arguments: [
        (TestServer.partner, true), (TestServer.slug, true), ("test", true), ("other", false), ("", false),
    ])
    func aPartnerIsAddressedByIdSlugOrMirrorName(key: String, isMeant: Bool) throws {
        let test = try TestServer()
        let mirror = ServedMirror(name: "test", store: test.store, files: test.files)
        for _ in 0..<2 { #expect(try mirror.isOf(partner: key) == isMeant) }
    }
}
