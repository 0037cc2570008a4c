import Catalogue
import Foundation
import Testing

@testable import MirrorStore

@Suite("A store for planning a sync of a described source") struct PlanningStoreTests {
    private let test: TestStore

    init() throws {
        test = try TestStore()
        let run = try test.beginRun()
        for id in ["a", "b"] {
            var artwork = ObjectRecord.make(.artwork, id, name: "Work \(id)", artists: ["x"])
            artwork.parts.gathered = [.make(.artist, "x", name: "Maker")]
            artwork.parts.place = .location("l")
            artwork.parts.gathered.append(.make(.location, "l", name: "Room"))
            try test.put(artwork, run: run)
        }
        try test.list(.artwork, ["a", "b"], run: run)
        var request = FinishRequest(run: run)
        request.joinsPlaces = true
        _ = try test.store.finish(request)
    }

    private func planning(_ body: (CatalogueStore, Int64) throws -> Void) throws {
        let store = try CatalogueStore.planning(test.folder)
        defer { try? store.close() }
        try body(store, try store.nextRun())
    }

    /// What a plan would remove: `artist x`.
    private func removed(_ store: CatalogueStore, _ request: FinishRequest) throws -> [String] {
        try store.planDeletions(request).ids.flatMap { kind, ids in ids.map { "\(kind) \($0)" } }
    }

    @Test func `a plan counts absences, requests and dates without writing to the mirror`() throws {
        try planning { store, run in
            let list = TestStore.listName(.artwork)
            let draft = try store.begin(list, with: [(id: "b", etag: nil, lists: nil)])
            try store.commit(
                draft, answer: ListAnswer(list: list, etag: nil, date: nil), count: 1, run: run)
            #expect(try store.countAbsences(.artwork, run: run) == ["a"])
            try store.noteAnswer(.artwork, "a", isAbsent: true)
            #expect(try store.removable(.artwork, by: AbsenceRule(lists: 1, apart: .zero)) == ["a"])
            try store.setSince(.artwork, to: "2026-01-01T00:00:00Z")
            try store.setRequests(7, to: "https://m.test", onDay: 20_000)
            #expect(try store.requestDay(of: "https://m.test")?.requests == 7)
            #expect(try store.sinceRecords()[.artwork]?.since == "2026-01-01T00:00:00Z")
        }
        #expect(try test.store.requestDay(of: "https://m.test") == nil)
        #expect(try test.store.sinceRecords()[.artwork] == nil)
        #expect(try test.store.removable(.artwork, by: AbsenceRule(lists: 1, apart: .zero)) == [])
    }

    @Test func `a plan finds artists that no artwork will name, and locations that lose artworks`() throws {
        try planning { store, run in
            var request = FinishRequest(run: run)
            (request.joinsPlaces, request.gathered) = (true, [.artist, .location])
            request.limit = .total(1_000)
            #expect(try removed(store, request) == [])
            try store.stagePlannedNames(of: .make(.artwork, "a", name: "Work a"))
            #expect(try removed(store, request) == [])
            var b = ObjectRecord.make(.artwork, "b", name: "Work b")
            b.parts.place = .none
            try store.stagePlannedNames(of: b)
            #expect(try removed(store, request) == ["artist x"])
            #expect(try store.planDeletions(request).relocated == 1)
        }
        #expect(try test.scalar("SELECT count(*) FROM artwork_artist") == 2)
    }

    @Test func `the effect of an object that an artwork names is that of storing it`() throws {
        try planning { store, _ in
            var effects: [WriteEffect] = []
            for (id, name) in [("x", "Maker"), ("x", "Other"), ("y", "New")] {
                effects.append(try store.effect(ofGathered: .make(.artist, id, name: name)))
            }
            #expect(effects == [.unchanged, .updated, .created])
        }
    }
}
