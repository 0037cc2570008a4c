import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Catalogue albums that are edited between imports")
struct ImportedAlbumsTests {
    @Test(
        arguments: [
            // The notes of the last import, the stored album, the verdict.
            (nil, .here, .write), (nil, .absent, .write),
            (#"[["a","1"]]"#, .here, .leave), (#"[["a","1"]]"#, .absent, .omit),
            (#"[["a","1"]]"#, .restored, .write),
            (#"[["a","2"]]"#, .here, .write), (#"[["a","2"]]"#, .absent, .write),
            (#"[["b","1"]]"#, .here, .write), ("[]", .absent, .write),
        ] as [(String?, ImportedAlbums.Presence, ImportedAlbums.Verdict)])
    func anAlbumIsWrittenOnlyIfTheFolderHasAnotherVersionOfIt(
        stored: String?, presence: ImportedAlbums.Presence, verdict: ImportedAlbums.Verdict
    ) throws {
        var albums = try ImportedAlbums(stored: stored)
        #expect(albums.verdict(on: "a", version: "1", presence) == verdict)
    }

    @Test func albumsThatNoImportNamedWereMadeLocally() throws {
        var albums = try ImportedAlbums(stored: #"[["a","1"],["b","1"]]"#)
        _ = albums.verdict(on: "a", version: "1", .here)
        _ = albums.verdict(on: "c", version: "1", .here)
        #expect(albums.madeHere(["a", "b", "c", "d"]) == ["d"])
        #expect(albums.text(isSwept: true) == #"[["a","1"],["c","1"]]"#)
        #expect(albums.text(isSwept: false) == #"[["a","1"],["b","1"],["c","1"]]"#)
        // Without notes, as of a catalogue that an earlier version imported, no album counts as made locally.
        #expect(try ImportedAlbums(stored: nil).madeHere(["d"]) == [])
    }

    @Test(arguments: ["", "{}", "[1]", #"[["a"]]"#, #"[["a",1]]"#])
    func damagedAlbumVersionsOfTheLastImportAreAnError(text: String) {
        #expect(throws: SyncError.self) { try ImportedAlbums(stored: text) }
    }

    // MARK: - Complete imports

    private struct Catalogue {
        let home: LiveMirror
        init() throws { home = try LiveMirror() }

        func importing(
            _ albums: [String], artworks: [String] = ["w1", "w2"], maxDelete: DeleteGuard.Limit = .standard
        ) async throws -> SyncSummary {
            let source = CatalogueFiles.embedded([
                "partner.json": #"{"id":"p","name":"P"}"#,
                "artworks.jsonl": artworks.map { #"{"id":"\#($0)","title":"T"}"# }.joined(separator: "\n"),
                "albums.jsonl": albums.joined(separator: "\n"), "artists.jsonl": "", "shows.jsonl": "",
                "locations.jsonl": "",
            ])
            return try await CatalogueImport(source, into: home.mirror("p"), maxDelete: maxDelete).run()
        }

        func edit(_ body: (CatalogueStore) throws -> Void) throws {
            let store = try home.mirror("p").store()
            defer { try? store.close() }
            try body(store)
        }

        /// The defects that a verification finds.
        func defects() throws -> [StoreDefect] {
            let store = try home.mirror("p").store()
            defer { try? store.close() }
            var found: [StoreDefect] = []
            for check in StoreCheck.allCases where check != .search {
                try store.check(check) { found.append($0) }
            }
            return found
        }

        /// Each album as `name: artworks`.
        func albums() throws -> Set<String> {
            let store = try home.mirror("p").store()
            defer { try? store.close() }
            return try store.snapshot { reader in
                try Set(
                    reader.ids(.album, withKept: false).map { id in
                        let json = try JSONValue(parsing: reader.json(.album, id) ?? "").objectValue
                        let artworks = try reader.artworks(of: Owner(.album, id))
                        return "\(json?["name"]?.stringValue ?? ""): \(artworks.joined(separator: " "))"
                    })
            }
        }
    }

    private func line(_ id: String, _ name: String, _ artworks: [String] = ["w1"]) -> String {
        let ids = artworks.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"id":"\#(id)","name":"\#(name)","artwork_ids":[\#(ids)]}"#
    }

    private func record(_ id: String, _ name: String) -> ObjectRecord {
        var warnings: [FieldWarning] = []
        let json: JSONObject = ["id": .string(id), "name": .string(name)]
        // An object with an id is an album.
        guard let album = try? Album(json, warnings: &warnings) else { preconditionFailure("not an album") }
        return ObjectRecord(.album, album, etag: nil)
    }

    /// A catalogue with five albums: one unchanged, and, by local edits, one renamed, one with another artwork, one deleted
    /// and one made.
    private func edited() async throws -> (Catalogue, folder: [String]) {
        let catalogue = try Catalogue()
        let folder = ["same", "renamed", "filled", "gone"].map { line($0, $0) }
        #expect(try await catalogue.importing(folder).outcome == .complete)
        try catalogue.edit { store in
            let isRenamed = try store.changeAlbum("renamed") { _ in record("renamed", "mine") }
            let isFilled = try store.setAlbumArtwork("w2", in: "filled", present: true)
            let isGone = try store.removeAlbum("gone")
            let made = try store.acceptAlbum(record("made", "made"))
            #expect(isRenamed && isFilled && isGone && made == "made")
        }
        #expect(try catalogue.albums() == ["same: w1", "mine: w1", "filled: w1 w2", "made: "])
        return (catalogue, folder)
    }

    @Test func importingTheSameFolderAgainRevertsNoEdit() async throws {
        let (catalogue, folder) = try await edited()
        let before = try catalogue.albums()
        #expect(try catalogue.defects() == [], "local edits are no damage")
        for _ in 1...2 {
            let summary = try await catalogue.importing(folder)
            #expect(summary.outcome == .complete && !summary.hasChanges)
            #expect(try catalogue.albums() == before && catalogue.defects() == [])
        }
    }

    @Test func anotherVersionOfAnAlbumInTheFolderReplacesTheEditedOne() async throws {
        let (catalogue, _) = try await edited()
        let folder = ["same", "renamed", "filled", "gone"].map { line($0, "new \($0)") }
        #expect(try await catalogue.importing(folder).outcome == .complete)
        #expect(
            try catalogue.albums() == [
                "new same: w1", "new renamed: w1", "new filled: w1", "new gone: w1", "made: ",
            ])
    }

    @Test func anEditedAlbumThatTheFolderNoLongerHasIsRemoved() async throws {
        let (catalogue, folder) = try await edited()
        #expect(try await catalogue.importing([folder[0]]).outcome == .complete)
        #expect(try catalogue.albums() == ["same: w1", "made: "])
        // Albums that the folder contains again have the folder's state.
        #expect(try await catalogue.importing(folder).outcome == .complete)
        #expect(try catalogue.albums() == ["same: w1", "renamed: w1", "filled: w1", "gone: w1", "made: "])
    }

    @Test func albumsThatTheDeleteGuardKeptAreGuardedAgainInTheNextImport() async throws {
        let (catalogue, folder) = try await edited()
        for _ in 1...2 {
            let summary = try await catalogue.importing([folder[0]], maxDelete: .total(0))
            #expect(summary.outcome == .guarded && summary.guardedDeletions == 2)
        }
        #expect(try await catalogue.importing([folder[0]]).outcome == .complete)
        #expect(try catalogue.albums() == ["same: w1", "made: "])
    }

    /// The delete guard also protects the artworks of an album.
    @Test func artworksThatTheDeleteGuardKeptInAnAlbumAreRemovedOnceTheLimitAllowsIt() async throws {
        let catalogue = try Catalogue(), artworks = (0..<20).map { "w\($0)" }
        func importing(_ count: Int, _ limit: DeleteGuard.Limit = .standard) async throws -> SyncSummary {
            let album = line("full", "full", Array(artworks[..<count]))
            return try await catalogue.importing([album], artworks: artworks, maxDelete: limit)
        }
        #expect(try await importing(20).outcome == .complete)
        for _ in 1...2 {
            let summary = try await importing(5)
            #expect(summary.outcome == .guarded && summary.guarded.map(\.name) == ["album_artwork"])
            #expect(summary.guardedDeletions == 15)
            #expect(try catalogue.albums() == ["full: \(artworks.joined(separator: " "))"])
        }
        #expect(try await importing(5, .total(15)).outcome == .complete)
        #expect(try catalogue.albums() == ["full: \(artworks[..<5].joined(separator: " "))"])
    }

    @Test func aLocalAlbumThatAnImportedFolderContainedIsDeletedWhenALaterOneLacksIt() async throws {
        let (catalogue, folder) = try await edited()
        #expect(try await catalogue.importing(folder + [line("made", "taken")]).outcome == .complete)
        let taken = try catalogue.albums()
        #expect(taken.contains("taken: w1"))
        #expect(try await catalogue.importing(folder).outcome == .complete)
        let remaining = try catalogue.albums()
        #expect(!remaining.contains("taken: w1") && !remaining.contains("made: "))
    }

    @Test func anArtworkThatIsImportedAgainIsInItsAlbumsAgain() async throws {
        let (catalogue, folder) = try await edited()
        #expect(try await catalogue.importing(folder, artworks: ["w2"]).outcome == .complete)
        #expect(try await catalogue.importing(folder).outcome == .complete)
        #expect(try catalogue.albums() == ["same: w1", "mine: w1", "filled: w1 w2", "made: "])
    }
}
