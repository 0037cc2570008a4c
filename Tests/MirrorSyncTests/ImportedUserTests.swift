import Catalogue
import Foundation
import MirrorDemo
import MirrorStore
import Testing

@testable import MirrorSync

@Suite("The user in an imported catalogue", .fewAtATime) struct ImportedUserTests {
    private static let user = #"{"id":"u","name":"Ada","type":"User","email":"ada@example.org","desk":7}"#

    /// - Parameter user: the content of `user.json`; `nil` for a catalogue without that file.
    private static func catalogue(_ user: String?) -> CatalogueFiles {
        var files = [
            "partner.json": #"{"id":"p","name":"P"}"#, "albums.jsonl": "", "artists.jsonl": "",
            "artworks.jsonl": "", "shows.jsonl": "", "locations.jsonl": "",
        ]
        files["user.json"] = user
        return .embedded(files)
    }

    private func user(of home: LiveMirror) throws -> JSONObject? {
        let store = try home.mirror("p").store()
        defer { try? store.close() }
        return try store.storedSingle(.user).flatMap { try JSONValue(parsing: $0.json).objectValue }
    }

    @Test func anImportedUserIsMirroredAndExportedWithAllItsFields() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        let imported = try await origin.importing(Self.catalogue(Self.user), as: "p")
        #expect(imported.outcome == .complete)
        #expect(imported.objects["user"] == SyncSummary.Count(listed: 1, created: 1))
        #expect(try await !origin.importing(Self.catalogue(Self.user), as: "p").hasChanges)
        try await origin.serving { port in
            let summary = try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            #expect(summary.outcome == .complete && summary.objects["user"]?.created == 1)
        }
        let expected = try #require(try JSONValue(parsing: Self.user).objectValue)
        for home in [origin, mirror] {
            #expect(try home.export("p")["user.json"] == [.object(expected)])
        }
    }

    @Test func importingACatalogueWithoutAUserKeepsTheStoredUser() async throws {
        let home = try LiveMirror()
        try await home.importing(Self.catalogue(Self.user), as: "p")
        let summary = try await home.importing(Self.catalogue(nil), as: "p")
        #expect(summary.outcome == .complete && !summary.hasChanges)
        #expect(try user(of: home)?["id"] == "u")
    }

    @Test func anImportedUserReplacesTheStoredOne() async throws {
        let home = try LiveMirror()
        try await home.importing(Self.catalogue(Self.user), as: "p")
        try await home.importing(Self.catalogue(#"{"id":"v"}"#), as: "p")
        #expect(try home.export("p")["user.json"] == [["id": "v"]])
    }

    @Test(arguments: ["", "[]", "{", #"{"name":"Ada"}"#, #"{"id":""}"#, #"{"id":"u"} {"id":"v"}"#])
    func anUnusableUserFileIsNamedInTheErrorAndNothingIsImported(text: String) async throws {
        let home = try LiveMirror()
        let error = await #expect(throws: SyncError.self) {
            try await home.importing(Self.catalogue(text), as: "p")
        }
        #expect(error?.code == .catalogue)
        #expect(error?.message.hasPrefix("user.json is no JSON object with a usable id.") == true)
        #expect(try !FileManager.default.fileExists(atPath: home.mirror("p").database))
    }

    @Test func anExportWithoutAUserRemovesTheUserOfAnEarlierExport() async throws {
        let home = try LiveMirror(), target = home.folder.file("catalogue"), file = "\(target)/user.json"
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        try await home.importing(Self.catalogue(nil), as: "p")
        for (name, hasUser) in [("p", false), ("demo", true), ("p", false)] {
            let folder = try home.mirror(name), store = try folder.store()
            defer { try? store.close() }
            _ = try CatalogueExport(store, folder: folder).write(.jsonl, to: target)
            #expect(FileManager.default.fileExists(atPath: file) == hasUser, "\(name)")
        }
    }
}
