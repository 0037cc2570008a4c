import MirrorServer
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite("Mirrors of the built-in catalogue")
struct DemoServerTests {
    private func isDemo(origin: String?, from: String? = nil, as name: String = "demo") throws -> Bool {
        let home = try TemporaryHome()
        let folder = try home.mirror(name)
        if let origin {
            try folder.prepare()
            let store = try CatalogueStore.open(at: folder.database)
            try store.setOrigin(origin)
            try store.close()
        }
        return try DemoServer.isMeant(partner: name, from: from, folder: folder)
    }

    @Test func aNewMirrorCalledDemoWithoutAServerIsOfTheBuiltInCatalogue() throws {
        #expect(try isDemo(origin: nil))
        #expect(try !isDemo(origin: nil, from: "http://127.0.0.1:8080"))
        #expect(try !isDemo(origin: nil, as: "another"))
    }

    @Test(arguments: [
        ("http://127.0.0.1:40001/built-in/api/v1", true),
        // Another server on this machine has a catalogue of that name.
        ("http://127.0.0.1:40001/demo/api/v1", false),
        ("http://127.0.0.1:8080/api/v1", false),
        ("https://example.org/built-in/api/v1", false),
    ])
    func aMirrorIsOfTheBuiltInCatalogueOnlyIfItsOriginWasADemoServer(origin: String, expected: Bool) throws {
        #expect(try isDemo(origin: origin) == expected)
    }

    @Test func theAddressOfADemoServerIsRecognised() async throws {
        let base = try await DemoServer().whileRunning { $0 }
        #expect(try isDemo(origin: base))
    }
}
