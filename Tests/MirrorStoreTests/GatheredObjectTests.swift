import Catalogue
import Testing

@testable import MirrorStore

@Suite("Objects that are gathered from artworks") struct GatheredObjectTests {
    private typealias Work = (id: String, artist: String, name: String, location: String?)

    private let test: TestStore

    init() throws { test = try TestStore() }

    /// Stores artworks, each with an artist of a name and a location, in a run with a complete list; and ends the run.
    ///
    /// - Parameter works: the ids of artworks, each with the id and name of its artist, and the id of its location.
    @discardableResult
    private func sync(
        _ works: [Work],
        limit: DeleteGuard.Limit = .standard
    ) throws -> (effects: [WriteEffect], report: FinishReport) {
        let run = try test.beginRun()
        try test.list(.artwork, works.map(\.id), run: run)
        let effects = try works.map { work in
            var record = ObjectRecord.make(
                .artwork, work.id, name: "A work of \(work.artist)", artists: [work.artist])
            record.parts.gathered =
                [ObjectRecord.make(.artist, work.artist, name: work.name)]
                + (work.location.map { [ObjectRecord.make(.location, $0, name: "Room \($0)")] } ?? [])
            record.parts.place = work.location.map { .location($0) } ?? .none
            return try test.put(record, run: run)[0]
        }
        var request = FinishRequest(run: run)
        request.kinds = [.artwork]
        request.gathered = [.artist, .location]
        request.joinsPlaces = true
        request.limit = limit
        return (effects, try test.store.finish(request))
    }

    private func name(_ kind: Kind, _ id: String) throws -> String? {
        try test.scalar("SELECT name FROM \"\(kind.table)\" WHERE id = ? AND ghost = 0", [id])
    }

    private func expectNoDefects() throws {
        for check in [StoreCheck.references, .lists, .members, .objects] {
            try test.store.check(check) { Issue.record("\(check): \($0)") }
        }
    }

    private func logged() throws -> Int? { try test.scalar("SELECT count(*) FROM change") }

    @Test func gatheredObjectsAreOrdinaryOnes() throws {
        let (effects, report) = try sync([("w", "x", "Ada", "l")])
        #expect(effects == [.created])
        #expect(report.objections.isEmpty)
        #expect(try [name(.artist, "x"), name(.location, "l")] == ["Ada", "Room l"])
        #expect(try test.ids(.artist, ghosts: true) == [])
        #expect(try test.store.counts()[.artist] == 1)
        #expect(try test.scalar("SELECT count(*) FROM artist WHERE linked = 0 AND refetch = 0") == 1)
        #expect(try test.store.members(of: Owner(.location, "l")) == ["w"])
        #expect(try test.store.ghostsToFetch([.artist, .location], run: 1, limit: 9)[.artist] == [])
        try expectNoDefects()
    }

    @Test func anUnchangedCatalogueChangesNothing() throws {
        let works: [Work] = [("v", "x", "Ada", "l"), ("w", "x", "Ada", "l"), ("y", "z", "Bo", nil)]
        try sync(works)
        let before = try logged()
        let (effects, _) = try sync(works.reversed())
        #expect(effects == [.unchanged, .unchanged, .unchanged])
        #expect(try logged() == before)
    }

    /// Only changed artworks are read again, so the one that was read last knows the present name.
    @Test func theArtworkThatWasReadLastDecidesAboutAnObject() throws {
        try sync([("a", "x", "Ada", nil), ("b", "x", "Ada", nil)])
        try sync([("a", "x", "Ada", nil), ("b", "x", "Eve", nil)])
        #expect(try name(.artist, "x") == "Eve")
        #expect(
            try test.scalar("SELECT action FROM change WHERE kind = 'artist' ORDER BY seq DESC") == "update")
    }

    @Test func anObjectIsUpdatedAlthoughTheArtworkThatNamesItIsUnchanged() throws {
        try sync([("w", "x", "Ada", nil)])
        #expect(try sync([("w", "x", "Eve", nil)]).effects == [.unchanged])
        #expect(try name(.artist, "x") == "Eve")
    }

    @Test func anObjectThatNoArtworkNamesAnyMoreIsRemovedWithEvidence() throws {
        try sync([("v", "x", "Ada", "l"), ("w", "y", "Bo", "m")])
        let report = try sync([("v", "y", "Bo", "m"), ("w", "y", "Bo", "m")]).report
        #expect(report.deleted == [.artist: 1, .location: 1])
        #expect(try test.ids(.artist) == ["y"])
        #expect(try test.ids(.location) == ["m"])
        #expect(try test.ids(.artist, ghosts: true) + test.ids(.location, ghosts: true) == [])
        let evidence: String? = try test.scalar(
            "SELECT evidence FROM change WHERE kind = 'artist' AND action = 'delete'")
        #expect(evidence == Evidence.namedByNoArtwork.text)
    }

    @Test func theLastArtworkOfAnArtistTakesTheArtistAndTheLocationWithIt() throws {
        try sync([("v", "x", "Ada", "l"), ("w", "y", "Bo", "m")])
        #expect(try sync([("w", "y", "Bo", "m")]).report.deleted == [.artwork: 1, .artist: 1, .location: 1])
        #expect(try test.ids(.artwork, ghosts: true) == [])
        #expect(try test.store.members(of: Owner(.location, "m")) == ["w"])
    }

    @Test func anArtistOfAShowIsNotRemoved() throws {
        let run = try test.beginRun()
        try test.put(.make(.artist, "x"), .make(.show, "s", artists: ["x"]), run: run)
        try sync([("v", "x", "Ada", nil), ("w", "y", "Bo", nil)])
        #expect(try sync([("v", "y", "Bo", nil), ("w", "y", "Bo", nil)]).report.deleted == [:])
        #expect(try test.ids(.artist) == ["x", "y"])
    }

    @Test func artworksThatNameALostObjectAreMarkedForRefetching() throws {
        try sync([("v", "x", "Ada", "l"), ("w", "y", "Bo", "m"), ("z", "y", "Bo", nil)])
        func marked() throws -> String? {
            try test.scalar(
                "SELECT group_concat(id, ' ') FROM (SELECT id FROM artwork WHERE refetch ORDER BY id)")
        }
        try test.store.refetchArtworks(naming: [.artist, .location])
        #expect(try marked() == nil)
        try test.store.write { db in
            try db.execute(sql: "UPDATE artist SET ghost = 1 WHERE id = 'y'")
            try db.execute(sql: "UPDATE location SET ghost = 1 WHERE id = 'l'")
        }
        try test.store.refetchArtworks(naming: [.artist])
        #expect(try marked() == "w z")
        try test.store.refetchArtworks(naming: [.artist, .location])
        #expect(try marked() == "v w z")
    }

    @Test func theDeleteGuardCountsGatheredObjects() throws {
        let works: [Work] = (0..<40).map { ("w\($0)", "x\($0)", "Ada", nil) }
        let changed: [Work] = works.map { ($0.id, "x0", "Ada", nil) }
        try sync(works)
        let report = try sync(changed).report
        #expect(report.objections.map(\.kind) == [.artist])
        #expect(try test.ids(.artist).count == 40)
        #expect(
            try sync(changed, limit: .total(39)).report.deleted == [
                .artist: 39
            ])
    }

    @Test func artworksMoveBetweenGatheredLocations() throws {
        try sync([("v", "x", "Ada", "l"), ("w", "x", "Ada", "l"), ("y", "x", "Ada", "m")])
        #expect(try test.store.members(of: Owner(.location, "l")) == ["v", "w"])
        let report = try sync([("v", "x", "Ada", "l"), ("w", "x", "Ada", "m"), ("y", "x", "Ada", nil)]).report
        #expect(report.deleted == [:])
        #expect(report.relocated == 2)
        #expect(try test.store.members(of: Owner(.location, "l")) == ["v"])
        #expect(try test.store.members(of: Owner(.location, "m")) == ["w"])
        try expectNoDefects()
    }

    /// An artwork of an unfinished run may name what the others don't.
    @Test func aRunThatMayNotDeleteRemovesNoGatheredObject() throws {
        try sync([("v", "x", "Ada", "l")])
        let run = try test.beginRun()
        var record = ObjectRecord.make(.artwork, "v", name: "Another", artists: ["y"])
        record.parts.gathered = [.make(.artist, "y")]
        try test.put(record, run: run)
        var request = FinishRequest(run: run)
        request.gathered = [.artist, .location]
        request.joinsPlaces = true
        request.mayDelete = false
        #expect(try test.store.finish(request).deleted == [:])
        #expect(try test.ids(.artist) == ["x", "y"])
        #expect(try test.store.members(of: Owner(.location, "l")) == ["v"])
    }
}
