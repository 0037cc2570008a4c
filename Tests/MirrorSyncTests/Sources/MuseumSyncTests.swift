import Catalogue
import Foundation
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Quotations are from the wire formats of the museums (SOURCES.md F).
@Suite("Syncing from the four museums", .limitedConcurrency) struct MuseumSyncTests {
    typealias Museum = ImitatedMuseum.Name

    @Test(arguments: MuseumMirror.museums)
    func `the first sync equals the catalogue`(name: Museum) async throws {
        let museum = try MuseumMirror(name)
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems) \(summary.failure ?? "")")
        #expect(try museum.contents() == museum.expected())
        #expect(summary.objects["artwork"]?.created == museum.catalogue.works.count)
        let partner = try museum.mirror.read { try $0.fetchAll(Partner.self) }
        #expect(partner.map(\.id) == [name.rawValue])
        let remembered = try museum.mirror.read { try $0.source }
        #expect(remembered?.name == name.rawValue && remembered?.base == name.base)
    }

    @Test(arguments: MuseumMirror.museums)
    func `the first sync reads each list once and asks for nothing twice`(name: Museum) async throws {
        let museum = try MuseumMirror(name)
        try await museum.sync()
        let (api, pictures) = museum.requests()
        // "All ids: `GET /objects` answers the whole list at once […]. One request an object." The others have "full records in
        // the list, so no per-object request is needed".
        let lists = name == .met ? ["/objects"] : museum.listPaths
        #expect(api.map(MuseumMirror.summary).filter { lists.contains($0) } == lists)
        #expect(museum.ownRequests(api) == (name == .met ? museum.catalogue.works.count : 0))
        #expect(api.count == lists.count + museum.ownRequests(api), "\(api)")
        let free = museum.catalogue.works.filter(\.isFree).map(\.pictures).reduce(0, +)
        // The first picture of a work is fetched in a second format, where the museum offers it.
        let first = museum.catalogue.works.count { $0.isFree && $0.pictures > 0 }
        let wanted = name.offersMedium ? free...(free + first) : free...free
        #expect(wanted.contains(pictures.count) && Set(pictures).count == pictures.count, "\(pictures)")
    }

    @Test(arguments: MuseumMirror.museums)
    func `a second sync changes no row and fetches no picture`(name: Museum) async throws {
        let museum = try MuseumMirror(name)
        try await museum.sync()
        let before = try museum.contents()
        _ = museum.requests()
        museum.mirror.pass(days: 1)
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete && !summary.hasChanges, "\(summary.problems)")
        #expect(try museum.mirror.log(summary.run) == [])
        #expect(try museum.contents() == before)
        let (api, pictures) = museum.requests()
        #expect(pictures == [])
        // "`?metadataDate=YYYY-MM-DD` keeps objects updated on or after that day": two days before the first sync, and five
        // minutes, as clocks differ.
        let expected =
            name == .met
            ? ["/objects?metadataDate=2026-01-29", "/objects"] : museum.listPaths.map { "\($0) thin" }
        #expect((name == .met ? api : api.map(MuseumMirror.summary)) == expected, "\(api)")
    }

    @Test(arguments: MuseumMirror.museums)
    func `a changed catalogue arrives as exactly its changes`(name: Museum) async throws {
        var museum = try await MuseumMirror.synced(name)
        try museum.changeAndAddWork()
        _ = museum.requests()
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        let (new, old) = (museum.museum.id(ofArtwork: "7"), museum.museum.id(ofArtwork: "1"))
        #expect(
            try museum.mirror.log(summary.run) == ["create artwork \(new)", "update artwork \(old)"].sorted())
        #expect(try museum.contents() == museum.expected())
        let (api, pictures) = museum.requests()
        #expect(pictures.count == (name.offersMedium ? 2 : 1), "\(pictures)")
        let summaries = api.map(MuseumMirror.summary)
        switch name {
        case .met:
            #expect(summaries == ["/objects", "/objects", "/objects/1", "/objects/7"], "\(api)")
        case .artic:
            // "`?ids=1,2,…` up to 100": the two arrive in one answer.
            #expect(
                summaries == [
                    "/galleries thin", "/agents thin", "/artworks thin", "/artworks", "/exhibitions thin",
                ], "\(api)")
            #expect(api.contains { $0.hasPrefix("/artworks?ids=") && $0.contains("7") })
        case .cleveland, .smk, .lighthouse:
            // The full list has one page, and there are two changed objects.
            #expect(summaries == ["\(museum.listPaths[0]) thin", museum.listPaths[0]], "\(api)")
        }
    }

    @Test(arguments: MuseumMirror.museums)
    func `one changed work is requested by its own URL`(name: Museum) async throws {
        var museum = try await MuseumMirror.synced(name)
        var changed = try museum.work("8")
        (changed.title, changed.artists) = ("Morning", ["12"])
        museum.put(changed)
        museum.mirror.pass(hours: 1)
        _ = museum.requests()
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try museum.contents() == museum.expected())
        let (api, pictures) = museum.requests()
        #expect(museum.ownRequests(api) == 1 && pictures == [], "\(api) \(pictures)")
        #expect(try museum.mirror.log(summary.run) == ["update artwork \(museum.museum.id(ofArtwork: "8"))"])
    }

    @Test(arguments: MuseumMirror.museums)
    func `a changed artist is changed in its place`(name: Museum) async throws {
        let museum = try await MuseumMirror.synced(name)
        museum.museum.apply([
            .put(.artist, ["id": "12", "name": "Her Workshop", "sort_name": "Her Workshop"])
        ])
        museum.mirror.pass(hours: 1)
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        var expected = museum.expected()
        expected.artists[museum.artistID("12")] = "Her Workshop"
        for (id, work) in expected.works {
            expected.works[id]?.artists = work.artists.map { $0 == "The Workshop" ? "Her Workshop" : $0 }
        }
        #expect(try museum.contents() == expected)
        #expect(try museum.mirror.deletions() == [:])
    }

    @Test(arguments: MuseumMirror.museums)
    func `a picture whose licence is withdrawn is kept, and the log has the change`(name: Museum) async throws
    {
        var museum = try await MuseumMirror.synced(name)
        try museum.withdrawLicence(of: "4")
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        let id = museum.museum.id(ofArtwork: "4")
        #expect(try museum.mirror.log(summary.run) == ["update artwork \(id)"])
        // "`--withdrawn keep|remove` decides about the file (default: keep)" (SOURCES.md E).
        #expect(try museum.contents().works[id]?.files == 1)
    }

    @Test(arguments: MuseumMirror.museums)
    func `a picture whose licence is withdrawn is removed if the user says so`(name: Museum) async throws {
        var museum = try await MuseumMirror.synced(name)
        try museum.withdrawLicence(of: "4")
        let summary = try await museum.sync { $0.source.withdrawn = .remove }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try museum.contents() == museum.expected())
    }

    @Test(arguments: MuseumMirror.museums)
    func `a full sync of an unchanged catalogue changes no row`(name: Museum) async throws {
        let museum = try await MuseumMirror.synced(name)
        let summary = try await museum.sync { $0.full = true }
        #expect(summary.outcome == .complete && !summary.hasChanges, "\(summary.problems)")
        #expect(try museum.mirror.log(summary.run) == [])
        #expect(try museum.contents() == museum.expected())
    }
}
