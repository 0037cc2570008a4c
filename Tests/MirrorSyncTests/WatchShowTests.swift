import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Feeds of shows", .limitedConcurrency)
struct WatchShowTests {
    private func startedScenario(
        interval: Duration = .seconds(30), _ change: (inout sending FakePartner.State) -> Void
    ) throws -> WatchScenario {
        let scenario = try WatchScenario(.withEvents(change), interval: interval)
        scenario.begin()
        _ = scenario.takeEvents()
        return scenario
    }

    private func loops(_ scenario: WatchScenario) -> [String] {
        scenario.watch.status.loops.map(\.id).filter { $0 != LoopRecord.coreID }
    }

    @Test func aRunningShowHasALoopThatRequestsItsCursorBeforeTheShow() throws {
        let scenario = try startedScenario { state in
            state.addRunningShow("s")
            state.feed.shows = ["s"]
        }
        #expect(loops(scenario) == ["show:s"])
        #expect(try scenario.cursor("show:s") == "L-0")
        let requests = scenario.partner.takeRequests()
        let latest = try #require(requests.firstIndex(of: "GET /partner/p/show/s/events/latest"))
        let show = try #require(requests.lastIndex(of: "GET /partner/p/show/s"))
        #expect(latest < show)
        // The show's lists were requested again, and had not changed.
        #expect(requests[latest...].contains { $0.hasPrefix("GET /partner/p/show/s/artworks") })
    }

    @Test func anIdleFeedOfAShowCostsOneRequestPerInterval() throws {
        let scenario = try startedScenario { state in
            state.addRunningShow("s")
            state.feed.shows = ["s"]
        }
        _ = scenario.partner.takeRequests()
        scenario.tick()
        #expect(
            scenario.partner.takeRequests() == [
                "GET /partner/p/events/L-0", "GET /partner/p/show/s/events/L-0",
            ])
    }

    @Test func aShowsLoopIsEnabledAndDisabledWithItsDates() throws {
        let scenario = try startedScenario(interval: .seconds(600)) { state in
            state.addRunningShow("s", until: "2026-11-21", from: "2026-11-01")
            state.addRunningShow("t", until: "2026-12-31", from: "2026-11-21T12:00:00Z")
            state.feed.shows = ["s", "t"]
        }
        #expect(loops(scenario) == ["show:s"])
        scenario.advance(by: .seconds(3 * 3_600))
        #expect(loops(scenario) == ["show:s", "show:t"])
        // The first show's last day is over.
        scenario.advance(by: .seconds(12 * 3_600))
        #expect(loops(scenario) == ["show:t"])
        #expect(try scenario.loop("show:s") == nil)
    }

    @Test func aCreatedOrDeletedShowEnablesOrDisablesItsLoop() throws {
        let scenario = try startedScenario { _ in }
        #expect(loops(scenario).isEmpty)
        scenario.change { state in
            state.addRunningShow("n")
            state.feed.shows = ["n"]
            state.addEvent("shows", "n", 1)
        }
        scenario.tick()
        #expect(loops(scenario) == ["show:n"])
        scenario.tick()
        #expect(try scenario.cursor("show:n") == "L-1")
        scenario.change { state in
            state.remove(.show, "n")
            state.addEvent("shows", "n", 0)
        }
        scenario.tick()
        #expect(loops(scenario).isEmpty)
        #expect(try scenario.loop("show:n") == nil)
    }

    @Test(arguments: [(404, "{}"), (403, #"{"error":"private"}"#), (405, "{}")])
    func aShowsFeedThatTheServerEndedIsNotRequestedUntilTheShowChanges(_ status: Int, _ body: String) throws {
        let scenario = try startedScenario { state in
            state.addRunningShow("s")
            state.feed.shows = ["s"]
        }
        scenario.change { $0.overrides["/partner/p/show/s/events/L-0"] = .text(body, status: status) }
        scenario.tick()
        #expect(loops(scenario).isEmpty)
        #expect(try scenario.loop("show:s")?.state == LoopRecord.over)
        _ = scenario.partner.takeRequests()
        scenario.advance(by: .seconds(600))
        #expect(!scenario.partner.takeRequests().contains { $0.contains("/show/s/events") })
        scenario.change { state in
            state.overrides = [:]
            state.addRunningShow("s", until: "2027-01-31")
            state.addEvent("shows", "s")
        }
        scenario.tick()
        #expect(loops(scenario) == ["show:s"])
        scenario.tick()
        #expect(try scenario.cursor("show:s") == "L-1")
    }

    @Test func anExpiredLoginDoesNotEndAShowsFeed() async throws {
        let scenario = try startedScenario { state in
            state.addRunningShow("s")
            state.feed.shows = ["s"]
        }
        scenario.change {
            $0.overrides["/partner/p/show/s/events/L-0"] = .text(
                #"{"error":"credentials_expired"}"#, status: 403)
        }
        scenario.tick()
        #expect(await scenario.settle { scenario.isWaiting })
        #expect(try scenario.loop("show:s")?.state != LoopRecord.over)
        await scenario.end()
    }

    @Test func changesThatAShowsFeedReportsAreStored() throws {
        let scenario = try startedScenario { state in
            state.addRunningShow("s")
            state.feed.shows = ["s"]
        }
        scenario.change { state in
            // The partner's own feed reports nothing.
            state.overrides["/partner/p/events/L-0"] = .text(
                #"{"event_id":"L-0","refresh":0,"more":0,"events":[]}"#)
            state.artwork("a", title: "Reported by the show", artist: "x")
            state.addEvent("artworks", "a")
        }
        scenario.tick()
        #expect(try scenario.title("a") == "Reported by the show")
        #expect(try scenario.cursor("show:s") == "L-1")
        #expect(try scenario.cursor() == "L-0")
    }
}
