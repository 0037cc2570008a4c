import MirrorStore
import Testing

@testable import MirrorSync

/// A mirror of a catalogue may have another name than the partner's id, and the id may be any text.
@Suite("A catalogue under another name") struct CatalogueNameTests {
    private static func catalogue(_ partner: String) -> CatalogueFiles {
        .embedded([
            "partner.json": #"{"id":"\#(partner)","name":"P"}"#, "artworks.jsonl": #"{"id":"a","title":"A"}"#,
            "albums.jsonl": "", "artists.jsonl": "", "shows.jsonl": "", "locations.jsonl": "",
        ])
    }

    @Test func aCatalogueWithAnotherNameThanItsPartnerIdIsServedAndMirrored() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(Self.catalogue("../x y?#"), as: "odd")
        try await origin.serving { port in
            let summary = try await mirror.sync("odd", from: "odd", port: port) { $0.media = false }
            #expect(summary.outcome == .complete)
            let again = try await mirror.sync("odd", from: "odd", port: port) { $0.media = false }
            #expect(again.outcome == .complete && !again.hasChanges)
        }
    }

    @Test func anImportWithoutTheFileOfAKindKeepsTheKindAndReportsIt() async throws {
        let home = try LiveMirror()
        try await home.importing(Self.catalogue("one"), as: "here")
        let summary = try await home.importing(
            .embedded([
                "partner.json": #"{"id":"one","name":"P"}"#, "albums.jsonl": "", "artists.jsonl": "",
                "shows.jsonl": "", "locations.jsonl": "",
            ]), as: "here")
        #expect(summary.outcome == .partial)
        #expect(summary.problems.map(\.id) == ["artworks.jsonl"])
        #expect(try await home.importing(Self.catalogue("one"), as: "here").outcome == .complete)
    }

    @Test func aFirstImportWithoutTheFileOfAKindIsPartial() async throws {
        let home = try LiveMirror()
        let summary = try await home.importing(
            .embedded([
                "partner.json": #"{"id":"one","name":"P"}"#, "albums.jsonl": "", "artists.jsonl": "",
                "shows.jsonl": "", "locations.jsonl": "",
            ]), as: "here")
        #expect(summary.outcome == .partial)
        #expect(summary.problems.map(\.id) == ["artworks.jsonl"])
        #expect(summary.problems.first?.message.contains("were imported") == true)
    }

    @Test func anImportRefusesTheCatalogueOfAnotherPartner() async throws {
        let home = try LiveMirror()
        try await home.importing(Self.catalogue("one"), as: "here")
        let refused = await #expect(throws: SyncError.self) {
            try await home.importing(Self.catalogue("two"), as: "here")
        }
        #expect(refused?.code == .otherOrigin)
        let store = try home.mirror("here").store()
        #expect(try store.runs(limit: 9).map(\.outcome) == ["complete"], "no run was logged")
        try store.close()
        #expect(try await home.importing(Self.catalogue("one"), as: "here").outcome == .complete)
    }
}
