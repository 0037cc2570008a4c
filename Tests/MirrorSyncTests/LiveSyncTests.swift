import Catalogue
import Foundation
import MirrorDemo
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A catalogue through a chain of mirrors", .serialized)
struct LiveSyncTests {
    @Test func theDemoCatalogueIsUnchangedAfterAChainOfMirrors() async throws {
        try await roundTrip(.embedded(DemoCatalogue.files), media: true)
    }

    @Test func theCatalogueInTheTestsIsUnchangedAfterAChainOfMirrors() async throws {
        let source = CatalogueFiles.folder(RealCatalogues.fixture.path)
        #expect(try LiveMirror.catalogue(source)["artworks.jsonl"]?.count == 150)
        try await roundTrip(source, media: false)
    }

    /// It has four times as many albums as artworks.
    @Test(.enabled(if: RealCatalogues.arePresent, "there are no catalogues beside the package"))
    func aRealCatalogueIsUnchangedAfterAChainOfMirrors() async throws {
        let files = try TemporaryFolder()
        try await roundTrip(RealCatalogues.unpack("tate-small", into: files), media: false)
    }

    /// Imports a catalogue, syncs a mirror from it, and another mirror from that one: all three are equal, with their ETags.
    private func roundTrip(_ source: CatalogueFiles, media: Bool) async throws {
        let origin = try LiveMirror(), first = try LiveMirror(), second = try LiveMirror()
        let name = try source.partner()["id"]?.idText ?? ""
        #expect(try await origin.importing(source, as: name).outcome == .complete)
        let again = try await origin.importing(source, as: name)
        #expect(!again.hasChanges)
        try await origin.serving { port in
            let cold = try await first.sync(name, from: name, port: port) { $0.media = media }
            #expect(cold.outcome == .complete, "\(cold.problems.prefix(3))")
            let warm = try await first.sync(name, from: name, port: port) { $0.media = media }
            #expect(warm.outcome == .complete && !warm.hasChanges)
            #expect(warm.requests.sent <= 14)
        }
        try await first.serving { port in
            let cold = try await second.sync(name, from: name, port: port) { $0.media = media }
            #expect(cold.outcome == .complete, "\(cold.problems.prefix(3))")
        }
        let catalogue = try LiveMirror.catalogue(source)
        for mirror in [origin, first, second] {
            let exported = try mirror.export(name)
            for (file, lines) in catalogue {
                #expect(exported[file]?.count == lines.count, "\(file)")
                #expect(Set(exported[file] ?? []) == Set(lines), "\(file)")
            }
        }
        let etags = try origin.etags(name)
        #expect(try first.etags(name) == etags)
        #expect(try second.etags(name) == etags)
    }

    @Test func mirrorsOfTwoPartnersWithTheSameIdsAreIndependent() async throws {
        let home = try LiveMirror()
        func files(_ partner: String, title: String) -> CatalogueFiles {
            .embedded([
                "partner.json": #"{"id":"\#(partner)","name":"\#(partner)"}"#,
                "artworks.jsonl": #"{"id":"1","title":"\#(title)","artist_ids":[],"images":[]}"#,
                "artists.jsonl": "", "shows.jsonl": "", "albums.jsonl": "", "locations.jsonl": "",
            ])
        }
        try await home.importing(files("one", title: "First"), as: "one")
        try await home.importing(files("two", title: "Second"), as: "two")
        try await home.importing(files("two", title: "Third"), as: "two")
        func title(_ name: String) throws -> String? {
            let store = try home.mirror(name).store()
            defer { try? store.close() }
            return try store.find(.artwork, "1")?.summary.name
        }
        #expect(try title("one") == "First")
        #expect(try title("two") == "Third")
    }
}

@Suite(
    "Changes of a real catalogue", .serialized,
    .enabled(if: RealCatalogues.arePresent, "there are no catalogues beside the package"))
struct RealChangesTests {
    /// A quarter of the artworks is enough: more of them only take longer.
    @Test func syncingALaterVersionOfACatalogueCountsExactlyItsChanges() async throws {
        let files = try TemporaryFolder(), origin = try LiveMirror(), mirror = try LiveMirror()
        var earlier: [String: [JSONValue]]?
        for set in ["cmoa-medium-v1", "cmoa-medium-v2"] {
            let source = try RealCatalogues.quarter(of: RealCatalogues.unpack(set, into: files))
            let imported = try await origin.importing(source, as: "cmoa")
            #expect(imported.outcome == .complete)
            let catalogue = try LiveMirror.catalogue(source)
            try await origin.serving { port in
                let summary = try await mirror.syncAsPlanned("cmoa", port: port)
                #expect(summary.outcome == .complete, "\(summary.problems.prefix(3))")
                for (kind, count) in summary.objects where kind != "user" {
                    #expect(count.created == imported.objects[kind]?.created, "\(kind) created in \(set)")
                    #expect(count.updated == imported.objects[kind]?.updated, "\(kind) updated in \(set)")
                    #expect(count.deleted == imported.objects[kind]?.deleted, "\(kind) deleted in \(set)")
                }
            }
            if let earlier {
                for kind in ["artworks", "artists", "albums", "locations", "shows"] {
                    let expected = Differences(
                        from: earlier["\(kind).jsonl"] ?? [], to: catalogue["\(kind).jsonl"] ?? [])
                    let count = imported.objects[String(kind.dropLast())]
                    #expect(count?.created == expected.added, "\(kind) of \(set)")
                    #expect(count?.updated == expected.changed, "\(kind) of \(set)")
                    #expect(count?.deleted == expected.removed, "\(kind) of \(set)")
                }
            }
            earlier = catalogue
        }
        let exported = try mirror.export("cmoa")
        for (file, lines) in earlier ?? [:] {
            #expect(Set(exported[file] ?? []) == Set(lines), "\(file)")
        }
    }
}

/// The numbers of added, removed and changed lines between two versions of a file.
private struct Differences {
    var added = 0, removed = 0, changed = 0

    init(from old: [JSONValue], to new: [JSONValue]) {
        func byID(_ lines: [JSONValue]) -> [String: JSONValue] {
            Dictionary(lines.map { ($0.objectValue?["id"]?.idText ?? "", $0) }, uniquingKeysWith: { $1 })
        }
        let before = byID(old), after = byID(new)
        for (id, value) in after {
            if let earlier = before[id] { changed += earlier == value ? 0 : 1 } else { added += 1 }
        }
        removed = before.keys.filter { after[$0] == nil }.count
    }
}
