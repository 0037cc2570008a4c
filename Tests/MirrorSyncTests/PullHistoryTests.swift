import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import PartnerAPI
import Testing

@testable import MirrorSync

/// Random histories of a partner and its mirror: objects come, change and go, times pass, answers fail, the mirror pulls,
/// audits or lists. Once the server is well and at rest, one sync makes both equal.
@Suite("Random histories of a partner and its mirror")
struct PullHistoryTests {
    /// The seed of a failure is its argument: run the test with that alone to see the same history again.
    @Test(arguments: 1...16)
    func whatRestsBecomesEqual(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        var clock = 0
        let partner = FakePartner { state in
            state.extensions = seed % 3 == 0 ? ["since"] : ["validators", "since"]
            state.hasListETags = true
        }
        let mirror = try TestMirror(partner)
        for _ in 0..<12 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                clock += Int.random(in: 0...400, using: &random)
                partner.change { change(&$0, at: clock, &random) }
            }
            if Bool.random(using: &random) { partner.change { breakAnAnswer(&$0, &random) } }
            let mode = Int.random(in: 0...5, using: &random)
            let summary = try await mirror.sync { options in
                options.maxDelete = .total(1_000)
                if mode == 0 { options.auditEvery = .zero }
                if mode == 1 { options.full = true }
            }
            #expect(summary.outcome == .complete || summary.outcome == .partial)
            partner.change { $0.overrides = [:] }
        }
        let last = try await mirror.sync { $0.maxDelete = .total(1_000) }
        #expect(last.outcome == .complete)
        try expectEqual(partner, mirror)
        // What was pulled is what the lists say: looking at them changes nothing.
        let audit = try await mirror.sync {
            $0.maxDelete = .total(1_000)
            $0.auditEvery = .zero
        }
        #expect(audit.outcome == .complete)
        #expect(!audit.hasChanges)
        try expectEqual(partner, mirror)
    }

    private static let works = ["a", "b", "c", "d", "e"]

    private func change(_ state: inout FakePartner.State, at clock: Int, _ random: inout SeededRandom) {
        let time = Date(timeIntervalSince1970: 1_795_255_200 + Double(clock))
        let stamp = time.formatted(.iso8601)
        state.date = HTTPDate.format(time.timeIntervalSince1970)
        let id = Self.works.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0...6, using: &random) {
        case 0...2:
            let artist = ["x", "y", nil].randomElement(using: &random) ?? nil
            state.artwork(id, title: "Title \(clock)", artist: artist)
            state.touch("artworks", id, at: stamp)
            if let artist, state.lists["/partner/p/artists"]?.contains(artist) != true {
                state.artist(artist)
                state.touch("artists", artist, at: stamp)
            }
        case 3:
            state.remove("artworks", id)
            state.touch("artworks", id, at: stamp)
        case 4:
            state.show("s", Self.works.filter { _ in Bool.random(using: &random) })
            state.touch("shows", "s", at: stamp)
        case 5:
            state.remove("shows", "s")
            state.touch("shows", "s", at: stamp)
        default:
            let artist = ["x", "y"].randomElement(using: &random) ?? "x"
            state.put("artists", artist, #"{"id":"\#(artist)","name":"Name \#(clock)"}"#)
            state.touch("artists", artist, at: stamp)
        }
    }

    private func breakAnAnswer(_ state: inout FakePartner.State, _ random: inout SeededRandom) {
        let id = Self.works.randomElement(using: &random) ?? "a"
        let broken = ScriptedAnswer.text(
            "{\"broken\":", status: [200, 500].randomElement(using: &random) ?? 500)
        let kind = ["artworks", "artists", "shows"].randomElement(using: &random) ?? "artworks"
        let urls = [
            "/artwork/\(id)", "/partner/p/\(kind)?ids=1&size=all",
            "/partner/p/\(kind)?ids=1&size=all&validators=1",
            "/partner/p/show/s/artworks?ids=1&size=all",
        ]
        state.overrides[urls.randomElement(using: &random) ?? ""] = broken
    }

    private static func canonical(_ text: String) -> String? { try? JSONValue(parsing: text).canonicalText }

    private func expectEqual(_ partner: FakePartner, _ mirror: TestMirror) throws {
        var lists: [String: [String]] = [:], objects: [String: String] = [:]
        partner.change { state in
            lists = state.lists
            objects = state.objects
        }
        for (kind, name) in [(ObjectKind.artwork, "artworks"), (.artist, "artists"), (.show, "shows")] {
            let there = lists["/partner/p/\(name)"] ?? []
            #expect(try mirror.ids(kind) == there.sorted(), "\(name)")
            for id in there {
                let json = try mirror.read { try $0.snapshot { try $0.json(kind, id) } }
                #expect(json == objects[FakePartner.path(name, id)].flatMap(Self.canonical), "\(name) \(id)")
            }
        }
        if lists["/partner/p/shows"] == ["s"] {
            let members = try mirror.read { try $0.members(of: Owner(.show, "s")) }
            #expect(members == lists["/partner/p/show/s/artworks"])
        }
    }
}

extension SeededRandom: RandomNumberGenerator {}
