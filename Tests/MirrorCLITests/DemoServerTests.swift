import MirrorServer
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite("Which mirror is of the built-in catalogue")
struct DemoServerTests {
    private func isMeant(origin: String?, from: String? = nil, as name: String = "demo") throws -> Bool {
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
        #expect(try isMeant(origin: nil))
        #expect(try !isMeant(origin: nil, from: "http://127.0.0.1:8080"))
        #expect(try !isMeant(origin: nil, as: "another"))
    }

    @Test(arguments: [
        ("http://127.0.0.1:40001/built-in/api/v1", true),
        // Somebody serves a catalogue of that name on this machine.
        ("http://127.0.0.1:40001/demo/api/v1", false),
        ("http://127.0.0.1:8080/api/v1", false),
        ("https://example.org/built-in/api/v1", false),
    ])
    func aMirrorIsOfTheBuiltInCatalogueOnlyIfItsOriginWasADemoServer(origin: String, isIt: Bool) throws {
        #expect(try isMeant(origin: origin) == isIt)
    }

    @Test func theAddressOfADemoServerIsRecognised() async throws {
        let base = try await DemoServer().whileRunning { $0 }
        #expect(try isMeant(origin: base))
    }
}
