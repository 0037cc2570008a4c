import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Random histories of a partner whose mirror is watched, with random interruptions. At the end of each, partner and mirror are
/// equal.
///
/// A failure names the seed. The same seed gives the same history.
@Suite("Random histories of a watched mirror", .fewAtATime)
struct WatchHistoryTests {
    @Test(arguments: 0..<2)
    func aWatchedMirrorEqualsItsPartnerAfterARandomHistory(_ seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let partner = FakePartner.withEvents { state in
            state.runs("s")
            state.lists["/partner/p/show/s/artworks"] = ["a", "b"]
            state.feed.shows = ["s"]
            state.album("m", ["a"])
        }
        var scenario = try WatchScenario(partner) { $0.media = false }
        scenario.begin()
        for _ in 0..<40 {
            for _ in 0..<Int.random(in: 0...3, using: &random) { Self.change(partner, &random) }
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                await scenario.end()
                scenario = try WatchScenario(partner, mirror: scenario.mirror) { $0.media = false }
                scenario.begin()
            case 1:
                partner.change { $0.once["/partner/p/events/\($0.feed.latest)"] = [.text("{}", status: 503)] }
            case 2: partner.change { $0.once["/artwork/a"] = [.text("{}", status: 502)] }
            case 3: partner.change { $0.feed.log += "x" }
            case 4:
                let mask = Int.random(in: 1...255, using: &random)
                partner.change { $0.feed.refresh = mask }
                scenario.tick()
                partner.change { $0.feed.refresh = 0 }
            case 5: try await scenario.mirror.sync { $0.media = false }
            default: scenario.tick()
            }
        }
        partner.change { $0.once = [:] }
        for _ in 0..<6 { scenario.pass(.seconds(600)) }
        try Self.compare(scenario, seed)
        let runs = try scenario.mirror.read { try $0.runs(limit: 1).first?.run }
        for _ in 0..<5 { scenario.tick() }
        #expect(
            try scenario.mirror.read { try $0.runs(limit: 1).first?.run } == runs,
            "seed \(seed): an unchanged partner causes no further run"
        )
        await scenario.end()
    }

    private static func change(_ partner: FakePartner, _ random: inout SeededRandom) {
        let ids = ["a", "b", "c", "d", "e", "f"]
        let id = ids.randomElement(using: &random) ?? "a"
        let content: FakePartner.Feed.Told = Bool.random(using: &random) ? .whole : .nothing
        let title = "Title \(Int.random(in: 0..<1_000, using: &random))"
        let members = ids.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
        let what = Int.random(in: 0..<8, using: &random)
        partner.change { state in
            let isListed = state.lists["/partner/p/artworks"]?.contains(id) == true
            switch what {
            case 0...2:
                state.artwork(id, title: title, artist: "x")
                state.tell("artworks", id, isListed ? 2 : 1, content)
            case 3 where isListed:
                state.artwork(id, title: title, artist: "x")
                state.tell("artworks", id, 3, .text(#"{"title":"\#(title)","artists":[{"id":"x"}]}"#))
            case 4 where isListed:
                state.remove(.artwork, id)
                state.tell("artworks", id, 0)
            case 5:
                state.lists["/partner/p/show/s/artworks"] = Array(members)
                state.tell("shows", "s", 2, content)
            case 6:
                state.lists["/partner/p/album/m/artworks"] = Array(members)
                state.tell("albums", "m", 2, content)
            case 7:
                state.put(.artist, "x", #"{"id":"x","name":"\#(title)"}"#)
                state.tell("artists", "x", 2, content)
            default: break
            }
            // `since` compares with the fake server's own time, which never changes.
            if let last = state.feed.events.last {
                state.touch(last.kind, last.id, at: "2026-11-21T10:00:00.000Z")
            }
        }
    }

    private static func compare(_ scenario: WatchScenario, _ seed: Int) throws {
        let lists = scenario.partner.lists
        let ids = lists["/partner/p/artworks"] ?? []
        let artworks = Dictionary(
            uniqueKeysWithValues: ids.map { ($0, scenario.partner.object("/artwork/\($0)")) })
        let storedIDs = try scenario.mirror.ids(.artwork)
        #expect(storedIDs == artworks.keys.sorted(), "seed \(seed)")
        try scenario.mirror.read { store in
            let stored = try store.bases(.artwork, storedIDs)
            for (id, body) in artworks {
                #expect(stored[ExactText(id)]?.etag == FakePartner.etag(body), "seed \(seed): \(id)")
            }
            #expect(
                try store.members(of: Owner(.show, "s")) == lists["/partner/p/show/s/artworks"],
                "seed \(seed): show")
            #expect(
                try store.members(of: Owner(.album, "m")) == lists["/partner/p/album/m/artworks"],
                "seed \(seed): album")
        }
    }
}
