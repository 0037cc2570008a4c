import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Membership lists without validators, in a dry run", .fewAtATime)
struct PlanListTests {
    private let partner = FakePartner { state in
        for id in ["a", "b", "c"] { state.artwork(id) }
        state.album("m", ["b", "a"])
        state.album("n", ["c"])
        state.show("s", ["a"])
        state.location("l", ["a"])
    }

    @Test func aDryRunIsExactIfItCanRequestAllMembershipLists() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.album("m", ["a", "b"]) }
        let plan = try await mirror.plan { $0.media = false }
        let result = try #require(plan.summary.plan)
        #expect(plan.items == ["album m updated"])
        #expect(result.hasChanges && result.updated["album"]?.isExact == true)
        #expect(plan.summary.objects["album"]?.updated == 1)
        let sync = try await mirror.sync { $0.media = false }
        #expect(sync.objects["album"]?.updated == 1)
        #expect(result.requests.rounded == sync.requests.sent, "the sync requests sampled lists once")
    }

    @Test(arguments: ["artworks", "shots", "location"]) func aDryRunPredictsAChangeOfAnyMembershipList(
        of list: String
    ) async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        #expect(try await mirror.plan { $0.media = false }.summary.plan?.hasChanges == false)
        partner.change { state in
            switch list {
            case "artworks": state.show("s", ["a", "b"])
            case "shots":
                state.lists["/partner_show/s/images?default=0"] = [
                    #"{"id":"i","image_url":"show/s/image/i/larger.jpg","image_versions":["larger"]}"#
                ]
            default: state.location("l", ["a", "c"])
            }
        }
        let plan = try await mirror.plan { $0.media = false }
        #expect(plan.summary.plan?.hasChanges == true)
        #expect(plan.items == (list == "location" ? [] : ["show s updated"]))
    }

    @Test func aDryRunRequestsASampleOfManyMembershipLists() async throws {
        partner.change { state in for number in 0..<200 { state.album("x\(number)", ["a"]) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in for number in 0..<100 { state.album("x\(number)", ["a", "b"]) } }
        _ = partner.takeRequests()
        let plan = try await mirror.plan { $0.media = false }
        let sampled = partner.takeRequests().filter { $0.contains("/album/") && $0.contains("/artworks") }
        #expect(sampled.count == 50)
        let result = try #require(plan.summary.plan), updated = try #require(result.updated["album"])
        #expect(!result.isExact && updated.margin > 5)
        #expect(abs(updated.value - 100) <= updated.margin)
        let sync = try await mirror.sync { $0.media = false }
        #expect(result.requests.rounded == sync.requests.sent)
    }

    @Test func aDryRunCountsAnObjectOnceIfItsListChangesToo() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.put(.album, "m", #"{"id":"m","name":"Renamed"}"#)
            state.lists["/partner/p/album/m/artworks"] = ["a"]
        }
        let plan = try await mirror.plan { $0.media = false }
        #expect(plan.items == ["album m updated"])
        #expect(plan.summary.objects["album"]?.updated == 1)
    }

    private func documents(_ count: Int) -> [String] { (0..<count).map { "d\($0)" } }

    private func write(_ ids: some Sequence<String>, _ title: String) {
        partner.change { state in
            for id in ids {
                state.objects["/partner/p/show/s/document/\(id)"] = #"{"id":"\#(id)","title":"\#(title)"}"#
            }
        }
    }

    @Test func aDryRunFindsAChangedDocumentInAnUnchangedList() async throws {
        partner.change { $0.lists["/partner/p/show/s/documents"] = self.documents(3) }
        write(documents(3), "First")
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let before = try #require(await mirror.plan { $0.media = false }.summary.plan)
        #expect(before.isExact && !before.hasChanges)
        write(["d1"], "Second")
        let predicted = try await mirror.plan { $0.media = false }.summary,
            plan = try #require(predicted.plan)
        #expect(plan.isExact && plan.hasChanges)
        let done = try await mirror.sync { $0.media = false }
        #expect(predicted.objects["document"] == done.objects["document"])
        #expect(plan.requests.rounded == done.requests.sent)
    }

    @Test func aDryRunRequestsASampleOfManyDocuments() async throws {
        partner.change { $0.lists["/partner/p/show/s/documents"] = self.documents(200) }
        write(documents(200), "First")
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        write(documents(100), "Second")
        _ = partner.takeRequests()
        let plan = try #require(await mirror.plan { $0.media = false }.summary.plan)
        #expect(partner.takeRequests().count { $0.contains("/document/") } == 50)
        let updated = try #require(plan.updated["document"])
        #expect(!plan.isExact && plan.hasChanges && abs(updated.value - 100) <= updated.margin)
    }
}
