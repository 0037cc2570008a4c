import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Restoring deleted objects and earlier versions", .fewAtATime)
struct RestoreTests {
    let partner = FakePartner { state in
        for id in ["x", "y"] {
            state.artist(id)
            state.lists["/partner/p/artist/\(id)/documents"] = ["d"]
            state.objects["/partner/p/artist/\(id)/document/d"] =
                #"{"id":"d","title":"About \#(id)","uri":"doc/\#(id)"}"#
            state.files["/doc/\(id)"] = Array("About \(id)".utf8)
        }
        state.artwork("a", artist: "x", image: "i")
        state.artwork("b", artist: "x")
        state.artwork("c", artist: "y", image: "j")
        state.album("m", ["b", "a", "c"])
        state.album("n", ["c", "nowhere"])
        state.show("s", ["a", "c"])
        state.lists["/partner_show/s/images?default=0"] = [
            #"{"id":"shot","image_url":"show/s/image/shot/larger.jpg","image_versions":["larger"]}"#
        ]
        for (path, byte) in [("artwork/a/image/i", 1), ("artwork/c/image/j", 2), ("show/s/image/shot", 3)] {
            state.files["/\(path)/larger.jpg"] = [0xFF, 0xD8, 0xFF, UInt8(byte)]
        }
    }

    /// Deletes objects on the server, without changing the lists of members that name them.
    private func remove() {
        partner.change { state in
            state.remove(.artwork, "c")
            state.remove(.artist, "y")
            state.remove(.album, "n")
            state.remove(.show, "s")
        }
    }

    private func restore(_ mirror: TestMirror, _ change: (inout Restore) -> Void = { _ in }) async throws
        -> Restore.Outcome
    {
        var restore = Restore(try mirror.mirror, now: { Date(timeIntervalSince1970: 1_795_000_000) })
        change(&restore)
        return try await restore.run()
    }

    /// The mirror's exported catalogue, and the paths of its files.
    private func contents(_ mirror: TestMirror) throws -> [String: Set<JSONValue>] {
        let target = mirror.folder.file("export-\(UUID().uuidString)")
        var contents = try mirror.read { store in
            _ = try CatalogueExport(store, folder: mirror.mirror).write(.jsonl, to: target)
            return try LiveMirror.catalogue(.folder(target)).mapValues { Set($0) }
        }
        contents["files"] = Set(
            try mirror.read { store in
                try Kinds.standard.listed.flatMap { kind in
                    try store.snapshot { try $0.ids(kind) }.map { id in
                        .string("\(kind.name) \(id) \(try store.find(kind, id)?.files ?? [])")
                    }
                }
            })
        return contents
    }

    private func kept(_ mirror: TestMirror) throws -> [Kind: Int] {
        try mirror.read { try $0.keptCounts() }
    }

    private func served(_ mirror: TestMirror, _ kind: Kind) throws -> [String] {
        try mirror.read { store in
            var ids: [String] = []
            try store.served { try $0.eachListed(kind) { id, _ in ids.append(id) } }
            return ids
        }
    }

    @Test func restoringBringsBackExactlyTheObjectsThatASyncDeleted() async throws {
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        let before = try contents(mirror)
        remove()
        #expect(try await mirror.sync { $0.maxDelete = .total(10) }.outcome == .complete)
        let after = try contents(mirror)
        #expect(after != before)
        let outcome = try await restore(mirror)
        #expect(outcome.summary.outcome == .complete, "\(outcome.summary.problems)")
        #expect(outcome.report.source == 2)
        #expect(try contents(mirror) == before)
        #expect(try kept(mirror) == [.artwork: 1, .artist: 1, .album: 1, .show: 1, .document: 1])
        #expect(try mirror.ghosts(.artwork) == ["nowhere"], "the ghost of the artwork is an object again")

        #expect(try await restore(mirror) { $0.isUndo = true }.summary.outcome == .complete)
        #expect(try contents(mirror) == after)
        #expect(try kept(mirror).isEmpty)
        #expect(try mirror.ghosts(.artwork) == ["c"])
    }

    @Test func keptObjectsAreNeitherServedNorCountedNorSwept() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        remove()
        try await mirror.sync { $0.maxDelete = .total(10) }
        _ = try await restore(mirror)
        #expect(try served(mirror, .artwork) == ["a", "b"])
        #expect(try served(mirror, .show).isEmpty)
        try mirror.read { (store: CatalogueStore) throws -> Void in
            #expect(try store.served(.artwork, "c") == nil)
            #expect(try store.servedDocument(Owner(.artist, "y"), "d") == nil)
            #expect(try store.documentFile(of: Owner(.artist, "y"), id: "d") == nil)
            #expect(try store.picture(of: Owner(.artwork, "c"), image: "j", format: "larger") == nil)
            #expect(try store.mediaSize() == 4 + 7, "a picture of a, a document of x")
            #expect(try store.counts()[.artwork] == 2)
            #expect(try store.members(of: Owner(.album, "m")) == ["b", "a", "c"], "as in the server's list")
            #expect(try store.search("About", limit: 5).isEmpty)
            #expect(try store.search("Work c", limit: 5).map(\.kept) == [true])
        }
        let summary = try await mirror.sync { $0.maxDelete = .total(0) }
        #expect(summary.outcome == .complete && !summary.hasChanges, "\(summary.problems)")
        #expect(try kept(mirror).count == 5)
        #expect(try mirror.read { try $0.lastUpdate()?.run } == 4)
    }

    @Test func restoredObjectsAreNotReportedToMirrorsOfThisMirror() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        remove()
        try await mirror.sync { $0.maxDelete = .total(10) }
        func changed() throws -> [Kind: [ChangedSince]] {
            try mirror.read { store in
                let time = CatalogueStore.text(of: Date(timeIntervalSince1970: 1_795_000_000))
                return try Dictionary(
                    uniqueKeysWithValues: Kinds.standard.listed.map { kind in
                        (kind, try #require(try store.changed(kind, since: time)))
                    })
            }
        }
        let before = try changed()
        #expect(before[.artwork]?.map(\.id).last == "c")
        _ = try await restore(mirror)
        #expect(try kept(mirror).count == 5)
        #expect(try changed() == before)
        _ = try await restore(mirror) { $0.isUndo = true }
        #expect(try kept(mirror).isEmpty)
        #expect(try changed() == before)
    }

    @Test(arguments: [false, true])
    func aKeptObjectThatTheServerListsAgainIsNoLongerKept(hasValidators: Bool) async throws {
        partner.change { $0.extensions = hasValidators ? ["validators"] : [] }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let before = try contents(mirror)
        let body = partner.object("/artwork/c")
        remove()
        try await mirror.sync { $0.maxDelete = .total(10) }
        _ = try await restore(mirror)
        partner.change { state in
            state.put(.artwork, "c", body)
            state.artist("y")
            state.album("n", ["c", "nowhere"])
            state.show("s", ["a", "c"])
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try kept(mirror).isEmpty)
        #expect(try contents(mirror) == before)
        #expect(try served(mirror, .artwork) == ["a", "b", "c"])
        #expect(summary.objects["artwork"]?.updated == 1, "mirrors of this mirror see it as updated")
        partner.change { $0.remove(.artwork, "c") }
        try await mirror.sync { $0.maxDelete = .total(10) }
        #expect(try mirror.ids(.artwork) == ["a", "b"], "and is swept like any other")
    }

    @Test(arguments: [false, true])
    func restoredEarlierVersionsLastUntilTheNextSync(hasValidators: Bool) async throws {
        partner.change { $0.extensions = hasValidators ? ["validators"] : [] }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let before = try contents(mirror)
        partner.change { state in
            state.artwork("a", title: "Renamed", artist: "y", image: "k")
            state.files["/artwork/a/image/k/larger.jpg"] = [0xFF, 0xD8, 0xFF, 9]
            state.album("m", ["c", "b"])
            state.lists["/partner_show/s/images?default=0"] = []
            state.objects["/partner/p/artist/x/document/d"] = #"{"id":"d","title":"New","uri":"doc/y"}"#
        }
        try await mirror.sync()
        let after = try contents(mirror)
        #expect(try await restore(mirror).summary.hasChanges == false, "nothing was deleted")
        let outcome = try await restore(mirror) { restore in
            restore.source = 2
            restore.includesChanged = true
        }
        #expect(outcome.summary.outcome == .complete, "\(outcome.summary.problems)")
        #expect(try contents(mirror) == before)
        // These validators contain no ETags of lists under objects, so their changes aren't seen.
        #expect(
            try kept(mirror)
                == (hasValidators ? [.artwork: 1] : [.artwork: 1, .album: 1, .show: 1, .document: 1]))
        _ = try await restore(mirror) { $0.isUndo = true }
        #expect(try contents(mirror) == after)
        #expect(try kept(mirror).isEmpty)
        _ = try await restore(mirror) { restore in
            restore.source = 2
            restore.includesChanged = true
        }
        #expect(try contents(mirror) == before)
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try contents(mirror) == after)
        #expect(try kept(mirror).isEmpty)
    }

    /// The answer to a since request doesn't contain objects whose earlier versions were restored.
    @Test func aSyncWithSinceRequestsReplacesRestoredEarlierVersions() async throws {
        partner.change { state in
            state.extensions = ["validators", "since"]
            state.hasListETags = true
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.artwork("a", title: "Renamed", artist: "y")
            state.touch("artworks", "a", at: "2026-11-21T10:30:00Z")
        }
        #expect(try await mirror.sync().objects["artwork"]?.updated == 1)
        let after = try contents(mirror)
        _ = try await restore(mirror) { restore in
            restore.source = 2
            restore.includesChanged = true
        }
        #expect(try contents(mirror) != after)
        partner.change { $0.date = "Sat, 21 Nov 2026 12:00:00 GMT" }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try contents(mirror) == after)
        #expect(try kept(mirror).isEmpty)
    }

    @Test func aSingleObjectCanBeRestored() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        remove()
        try await mirror.sync { $0.maxDelete = .total(10) }
        let outcome = try await restore(mirror) { restore in
            restore.kind = .artwork
            restore.id = "c"
        }
        #expect(outcome.summary.objects["artwork"]?.created == 1)
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
        #expect(try mirror.ghosts(.artist) == ["y"], "its artist is still deleted")
        #expect(try kept(mirror) == [.artwork: 1])
    }

    @Test func aLostFileIsReportedAndEverythingElseIsRestored() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let file = try #require(try mirror.read { try $0.find(.artwork, "c")?.files.first })
        remove()
        try await mirror.sync { $0.maxDelete = .total(10) }
        try FileManager.default.removeItem(atPath: "\(try mirror.mirror.path)/\(file)")
        let outcome = try await restore(mirror)
        #expect(outcome.summary.outcome == .partial)
        #expect(outcome.report.problems.map(\.object.id) == ["c"])
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    @Test func objectsDeletedMoreThan30DaysAgoAreNotRestored() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        remove()
        try await mirror.sync { $0.maxDelete = .total(10) }
        let late = Date(timeIntervalSince1970: 1_795_000_000 + 31 * 86_400)
        var restore = Restore(try mirror.mirror, now: { late })
        restore.source = 2
        let outcome = try await restore.run()
        #expect(outcome.report.tooOld > 0 && !outcome.summary.hasChanges)
        #expect(try kept(mirror).isEmpty)
    }

    @Test func restoringFromAnUnknownRunFailsWithoutBeginningARun() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        await #expect { try await restore(mirror) { $0.source = 9 } } throws: {
            ($0 as? StoreError)?.code == .unknownRun
        }
        #expect(try mirror.read { try $0.runs(limit: 5).map(\.command) } == ["sync"])
    }

    @Test func aDeletionIsLoggedWithItsListAndThe404() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.objects["/artwork/c"] = nil
            state.once[FakePartner.State.listURL(.artwork)] = [.text(#"["a","b","c"]"#)]
            state.lists["/partner/p/artworks"] = ["a", "b"]
            state.objects["/partner/p/artist/x/document/d"] = nil
            state.once["/partner/p/artist/x/documents?ids=1&size=all"] = [.text(#"["d"]"#)]
            state.lists["/partner/p/artist/x/documents"] = []
        }
        let summary = try await mirror.sync { $0.maxDelete = .total(10) }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        var found: [String: String] = [:]
        try mirror.read { store in
            try store.history(ChangeFilter(run: 2)) { change in
                if change.action == .delete { found[change.object.id] = change.evidence }
            }
        }
        #expect(
            found == [
                "c": "not in /partner/p/artworks?ids=1&size=all; 404 from /artwork/c",
                "d":
                    "not in /partner/p/artist/x/documents?ids=1&size=all; 404 from /partner/p/artist/x/document/d",
            ])
    }
}
