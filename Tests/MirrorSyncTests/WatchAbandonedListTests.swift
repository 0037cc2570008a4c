import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A list that always fails while a mirror is watched", .fewAtATime)
struct WatchAbandonedListTests {
    /// The list's albums are stored by a later sync; everything else is stored without waiting for them.
    @Test(arguments: [["validators", "since", "status", "events"], ["validators", "events"]])
    func aListThatAlwaysFailsDoesNotStopAWatchFromFollowingEvents(extensions: [String]) throws {
        let list = "/partner/p/albums?ids=1&size=all&validators=1"
        let partner = FakePartner.withEvents { state in
            state.extensions = extensions
            state.album("m", ["a"])
            state.overrides[list] = .text("{}", status: 500)
        }
        let scenario = try WatchScenario(partner)
        scenario.begin()
        // Without `status`, the refresh itself is tried several times first.
        for _ in 0..<6 { scenario.tick() }
        #expect(try scenario.cursor() == "L-0")
        #expect(try scenario.loop()?.state == LoopRecord.enabled)
        #expect(scenario.syncs == [.first])
        #expect(try scenario.mirror.read { try $0.kindsToListAgain } == [.album])
        scenario.change { state in
            state.artwork("a", title: "Followed", artist: "x")
            state.tell("artworks", "a")
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Followed")
        #expect(try scenario.mirror.ids(.album) == [])
        scenario.change { $0.overrides = [:] }
        scenario.pass(.seconds(3_700))
        #expect(try scenario.mirror.ids(.album) == ["m"])
        #expect(try scenario.mirror.read { try $0.kindsToListAgain } == [])
        #expect(scenario.syncs == [.first, .daily])
    }

    /// The feed asks for a refresh of all kinds, and the list of shows fails each time.
    @Test func aRefreshContinuesWithoutAListThatAlwaysFails() throws {
        let scenario = try WatchScenario(.withEvents { $0.show("t", []) })
        scenario.begin()
        scenario.change { state in
            state.feed.log = "another"
            state.overrides["/partner/p/shows?ids=1&size=all&validators=1"] = .text("{}", status: 503)
            state.remove(.show, "s")
        }
        scenario.pass(.seconds(300))
        #expect(try scenario.cursor() == "another-0")
        #expect(try scenario.runs("refresh") >= 4)
        #expect(
            try scenario.mirror.ids(.show) == ["s", "t"],
            "A show that was removed from the list stays until the list is answered.")
        let attempts = try scenario.runs("refresh")
        scenario.change { $0.feed.log = "third" }
        scenario.pass(.seconds(60))
        #expect(try scenario.cursor() == "third-0")
        #expect(try scenario.runs("refresh") == attempts + 1, "The list is already abandoned.")
        scenario.change { $0.overrides = [:] }
        scenario.pass(.seconds(3_900))
        #expect(try scenario.mirror.ids(.show) == ["t"])
    }
}
