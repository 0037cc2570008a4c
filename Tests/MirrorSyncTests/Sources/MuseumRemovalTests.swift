import Catalogue
import Foundation
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "`gone: {by: absence, lists: 3, apart: 2d}`: missing from three complete lists taken at least two days apart from first to
/// last, and `absent` by the object's own URL each time" (SOURCES.md C).
@Suite("Works that a museum removes", .limitedConcurrency) struct MuseumRemovalTests {
    typealias Museum = ImitatedMuseum.Name

    /// A mirror of a museum that has removed the artwork 6 since the first sync.
    private func museumWithoutSix(_ name: Museum) async throws -> MuseumMirror {
        var museum = try MuseumMirror(name)
        #expect(try await museum.sync().outcome == .complete)
        museum.mirror.pass(hours: 1)
        museum.remove("6")
        _ = museum.requests()
        return museum
    }

    private func has6(_ museum: MuseumMirror) throws -> Bool {
        try museum.mirror.ids(.artwork).contains(museum.museum.id(ofArtwork: "6"))
    }

    @Test(arguments: MuseumMirror.museums)
    func `a removed work stays until three complete lists over two days lacked it`(name: Museum) async throws
    {
        let museum = try await museumWithoutSix(name)
        for (day, expected) in [(0, true), (1, true), (2, false)] {
            let summary = try await museum.sync()
            #expect(summary.outcome == .complete, "day \(day): \(summary.problems)")
            #expect(try has6(museum) == expected, "day \(day)")
            // Its own URL is requested after each of the lists, once.
            let api = museum.requests().api
            #expect(api.filter { museum.isOwnURL($0, of: "6") }.count == 1, "day \(day): \(api)")
            museum.mirror.pass(days: 1, hours: 1)
        }
        #expect(try museum.contents() == museum.expected())
        let id = museum.museum.id(ofArtwork: "6")
        let deletions = try museum.mirror.deletions()
        #expect(deletions["artwork \(id)"]?.contains("missing from 3 complete lists") == true)
        // Nothing else goes, but an artist whom only this work named, where the museum has no list of artists.
        let artist = name == .artic ? [] : ["artist \(museum.artistID("13"))"]
        #expect(Set(deletions.keys) == Set(["artwork \(id)"] + artist))
        // No trace is left that would request it again.
        _ = museum.requests()
        #expect(try await museum.sync().hasChanges == false)
        #expect(museum.requests().api.filter { museum.isOwnURL($0, of: "6") } == [])
    }

    @Test(arguments: MuseumMirror.museums)
    func `three lists on one day are not enough`(name: Museum) async throws {
        let museum = try await museumWithoutSix(name)
        for _ in 0..<4 {
            #expect(try await museum.sync().outcome == .complete)
            museum.mirror.pass(hours: 6)
        }
        #expect(try has6(museum))
        var missing: [MissingObject] = []
        try museum.mirror.read { try $0.missing(.artwork) { missing.append($0) } }
        #expect(missing.map(\.lists) == [4] && missing.map(\.isAbsent) == [true])
    }

    @Test(arguments: MuseumMirror.museums)
    func `two lists that are days apart are not enough`(name: Museum) async throws {
        let museum = try await museumWithoutSix(name)
        for _ in 0..<2 {
            #expect(try await museum.sync().outcome == .complete)
            museum.mirror.pass(days: 5)
        }
        #expect(try has6(museum))
    }

    @Test(arguments: MuseumMirror.museums)
    func `the count of absences of a work that comes back begins again`(name: Museum) async throws {
        var museum = try await museumWithoutSix(name)
        for _ in 0..<2 {
            try await museum.sync()
            museum.mirror.pass(days: 1, hours: 1)
        }
        let six = try #require(MuseumCatalogue.small.works.first { $0.id == "6" })
        museum.put(six)
        try await museum.sync()
        museum.mirror.pass(days: 1)
        museum.remove("6")
        for _ in 0..<2 {
            try await museum.sync()
            museum.mirror.pass(days: 1, hours: 1)
        }
        #expect(try has6(museum))
        try await museum.sync()
        #expect(try !has6(museum))
    }

    @Test(arguments: MuseumMirror.museums)
    func `a removed work can be restored, and then stays`(name: Museum) async throws {
        let museum = try await museumWithoutSix(name)
        for _ in 0..<3 {
            try await museum.sync()
            museum.mirror.pass(days: 1, hours: 1)
        }
        #expect(try !has6(museum))
        let clock = museum.mirror.clock
        let outcome = try await Restore(museum.mirror.mirror, now: { clock.now }).run()
        #expect(outcome.report.problems == [] && outcome.summary.outcome == .complete)
        #expect(try has6(museum))
        #expect(try museum.contents().works[museum.museum.id(ofArtwork: "6")]?.artists == ["Bo Carver"])
        for _ in 0..<4 {
            museum.mirror.pass(days: 1, hours: 1)
            #expect(try await museum.sync().outcome == .complete)
        }
        #expect(try has6(museum), "the museum still doesn't list it, but the user wants it")
    }

    @Test(arguments: MuseumMirror.museums)
    func `a museum that lists nothing any more removes nothing without the user's word`(name: Museum)
        async throws
    {
        var museum = try MuseumMirror(name)
        try await museum.sync()
        let ids = try museum.mirror.ids(.artwork)
        for work in museum.catalogue.works { museum.remove(work.id) }
        var outcomes: [SyncSummary.Outcome] = []
        for _ in 0..<4 {
            museum.mirror.pass(days: 1, hours: 1)
            outcomes.append(try await museum.sync().outcome)
        }
        #expect(outcomes.last == .guarded, "\(outcomes)")
        #expect(try museum.mirror.ids(.artwork) == ids)
        #expect(try museum.mirror.deletions() == [:])
    }
}
