import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A server that suddenly answers empty lists under objects.
@Suite("The delete guard for lists under objects", .fewAtATime)
struct GuardedListTests {
    private static let works = (0..<40).map { "w\($0)" }

    private func partner(_ extensions: [String]) -> FakePartner {
        FakePartner { state in
            state.extensions = extensions
            state.hasListETags = extensions.contains("validators")
            for id in Self.works { state.artwork(id) }
            for id in ["x", "without-documents"] { state.artist(id) }
            for number in 0..<3 { state.album("m\(number)", Array(Self.works[..<15])) }
            state.show("s", Array(Self.works[..<30]))
            let shots = (0..<12).map { #"{"id":"i\#($0)","image_url":"s/i\#($0)/:version.jpg"}"# }
            state.lists["/partner_show/s/images?default=0"] = shots
            state.lists["/partner_show/s/images?default=1"] = [#"{"id":"c","image_url":"s/c/:version.jpg"}"#]
            for owner in ["show/s", "artist/x"] {
                state.lists["/partner/p/\(owner)/documents"] = (0..<8).map { "d\($0)" }
                for number in 0..<8 {
                    state.objects["/partner/p/\(owner)/document/d\(number)"] = #"{"id":"d\#(number)"}"#
                }
            }
        }
    }

    private func empty(_ partner: FakePartner) {
        partner.change { state in
            for list in state.lists.keys
            where list.hasPrefix("/partner_show/") || list.split(separator: "/").count > 3 {
                state.lists[list] = []
            }
        }
    }

    /// The number of elements under objects, by table.
    private func counts(_ mirror: TestMirror) throws -> [String: Int] {
        try mirror.read { store in
            var counts: [String: Int] = [:]
            for number in 0..<3 {
                counts["albums", default: 0] += try store.members(of: Owner(.album, "m\(number)")).count
            }
            counts["show"] = try store.members(of: Owner(.show, "s")).count
            counts["documents"] =
                try store.storedDocuments(of: Owner(.show, "s")).count
                + store.storedDocuments(of: Owner(.artist, "x")).count
            for role in Kind.show.imageRoles {
                counts[role.rawValue] = try store.storedImages(of: Owner(.show, "s"), role: role).count
            }
            return counts
        }
    }

    private static let all = ["albums": 45, "show": 30, "documents": 16, "installation": 12, "cover": 1]
    private static let ways: [[String]] = [
        [], ["validators"], ["validators", "since"], ["since"],
    ]

    @Test(arguments: ways)
    func emptiedListsUnderObjectsAreGuardedAndReported(extensions: [String]) async throws {
        let partner = partner(extensions), mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try counts(mirror) == Self.all)
        empty(partner)
        for _ in 1...2 {
            let summary = try await mirror.sync { ($0.media, $0.full) = (false, true) }
            #expect(summary.outcome == .guarded && summary.guardedDeletions == 45 + 30 + 16 + 12)
            #expect(
                Set(summary.guarded.map(\.name)) == [
                    "album_artwork", "show_artwork", "document", "installation_shot",
                ])
            #expect(!summary.hasDeletions)
            #expect(try counts(mirror) == Self.all)
        }
        let number = try await mirror.sync { ($0.media, $0.maxDelete) = (false, .total(103)) }
        #expect(number.outcome == .complete, "\(number.problems)")
        #expect(try counts(mirror).values.allSatisfy { $0 == 0 })
    }

    /// The next run requests the lists again, even if no other answer reports a change.
    @Test(arguments: ways) func guardedListsAreUnchangedWhenTheServerHasRecovered(extensions: [String])
        async throws
    {
        let partner = partner(extensions), mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let lists = partner.lists
        empty(partner)
        #expect(try await mirror.sync { ($0.media, $0.full) = (false, true) }.outcome == .guarded)
        partner.change { $0.lists = lists }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && !summary.hasDeletions, "\(summary.problems)")
        #expect(try counts(mirror) == Self.all)
        try mirror.read { store in
            for check in [StoreCheck.members, .lists] { try store.check(check) { Issue.record("\($0)") } }
        }
        let last = try await mirror.sync { $0.media = false }
        #expect(last.outcome == .complete && !last.hasChanges)
    }

    /// With validators, the ETags show that the lists are empty; without, a dry run requests a sample.
    @Test(arguments: [[], ["validators"]]) func aDryRunPredictsTheGuardOfListsUnderObjects(
        extensions: [String]
    ) async throws {
        let partner = partner(extensions), mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let unguarded = try #require(await mirror.plan { $0.media = false }.summary.plan)
        #expect(unguarded.guarded.isEmpty && unguarded.guardedDeletions == 0)
        empty(partner)
        let plan = try #require(await mirror.plan { $0.media = false }.summary.plan)
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .guarded && !plan.guarded.isEmpty)
        #expect(plan.guarded == summary.guarded && plan.guardedDeletions == summary.guardedDeletions)
        #expect(try counts(mirror) == Self.all)
    }

    /// An objection to lists under one kind also stops the sweep of another kind.
    @Test func anObjectionToListsUnderObjectsStopsAllSweeps() async throws {
        let partner = partner(["validators"]), mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        empty(partner)
        partner.change { $0.remove(.artwork, "w39") }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .guarded && summary.guardedDeletions == 104)
        #expect(try mirror.ids(.artwork).count == 40)
    }
}
