import Foundation
import MirrorStore
import MirrorSync
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite("Logins of mirrors of a source") struct LoginOfSourceTests {
    @Test func `a mirror of a source refuses a login, and stores nothing`() async throws {
        let home = try TemporaryHome(), mirror = try home.mirror("museum")
        try mirror.prepare()
        let store = try CatalogueStore.open(at: mirror.database)
        try store.setSource(RememberedSource(name: "met", base: "https://museum.test", descriptionHash: "a"))
        try store.close()
        let command = try LoginCommand.parse([
            "museum", "--home", home.folder.path, "--token-command", "echo secret",
        ])
        let error = await #expect(throws: CommandError.self) { try await command.run() }
        #expect(
            error?.message
                == "museum is a mirror of the source met, which uses no login, so nothing was stored. If its server requires a key, set the environment variable that its description names."
        )
        #expect(!FileManager.default.fileExists(atPath: CredentialsFile(mirror).path))
    }
}
