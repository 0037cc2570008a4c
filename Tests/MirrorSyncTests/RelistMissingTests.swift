import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A catalogue in which ids change while it is read.
@Suite("What is named only when a list is asked for once more", .fewAtATime)
struct RelistMissingTests {
    private static let list = FakePartner.State.listURL(.artwork)

    /// A server whose list of artworks is asked for again and again: each answer names one artwork, and only the last of those is
    /// there when it is asked for.
    private func partner(naming ids: [String], extensions: [String] = []) -> FakePartner {
        FakePartner { state in
            state.extensions = extensions
            guard let last = ids.last else { return }
            state.artwork(last)
            state.artist("x")
            state.album("m", [last])
            state.once[Self.list] = ids.dropLast().map { .text(#"["\#($0)"]"#) }
        }
    }

    private func options(_ options: inout SyncOptions) {
        options.media = false
        options.maxDelete = .total(10)
    }

    private func defects(_ mirror: TestMirror) throws -> [StoreDefect] {
        var found: [StoreDefect] = []
        try mirror.read { store in
            for check in StoreCheck.allCases { try store.check(check) { found.append($0) } }
        }
        return found
    }

    @Test(arguments: [["b", "c"], ["b", "c", "d"]])
    func isFetchedInTheSameRun(ids: [String]) async throws {
        let partner = partner(naming: ids)
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .complete && summary.problems.isEmpty, "\(summary.problems)")
        #expect(try mirror.ids(.artwork) == ids.suffix(1))
        #expect(try defects(mirror).isEmpty)
        let asked = partner.takeRequests()
        for id in ids { #expect(asked.filter { $0 == "GET /artwork/\(id)" }.count == 1) }
        #expect(asked.filter { $0.hasPrefix("GET \(Self.list)") }.count == ids.count)
        // What came is joined as if the first list had named it.
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ids.suffix(1))
    }

    /// A server whose ids never stay would otherwise be asked without end.
    @Test func waitsForTheNextRunWhereTheListNeverStays() async throws {
        let partner = partner(naming: ["b", "c", "d", "e"])
        partner.change { $0.once[Self.list]?.append(.text(#"["e"]"#)) }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .partial)
        #expect(summary.problems.map(\.what) == ["list"], "\(summary.problems)")
        #expect(
            partner.takeRequests().filter { $0.hasPrefix("GET \(Self.list)") }.count == RelistMissing.rounds
                + 1)
        #expect(try await mirror.sync(options).outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["e"])
    }

    @Test func failsAsWhatTheFirstListNamedDoes() async throws {
        let partner = partner(naming: ["b", "c"])
        partner.change { $0.overrides["/artwork/c"] = .text(#"{"id":"other"}"#) }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .partial && summary.problems.map(\.id) == ["c"], "\(summary.problems)")
    }

    /// What failed before is not asked for again because something else wasn't found.
    @Test func isNotWhatFailedAlready() async throws {
        let partner = FakePartner { state in
            state.artwork("a")
            state.artwork("broken")
            state.overrides["/artwork/broken"] = .text(#"{"id":"other"}"#)
            state.once[Self.list] = [.text(#"["a","broken","gone"]"#)]
        }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.problems.map(\.id) == ["broken"], "\(summary.problems)")
        #expect(partner.takeRequests().filter { $0 == "GET /artwork/broken" }.count == 1)
    }

    /// It goes again before the next run, which is told only of that: nothing is wrong with the mirror then.
    @Test func mayGoBeforeTheNextRun() async throws {
        let partner = partner(naming: ["b", "d"], extensions: ["since", "validators"])
        partner.change { $0.once[Self.list] = nil }
        let validators = "\(Self.list)&validators=1"
        partner.change { state in
            state.once[validators] = [.text(#"[{"id":"b","etag":"\"1\""}]"#)]
            state.touch("artworks", "d", at: "2026-11-21T09:59:59Z")
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync(options).outcome == .complete)
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.remove(.artwork, "d")
            state.touch("artworks", "d", at: "2026-11-21T10:30:00Z")
        }
        #expect(try await mirror.sync(options).outcome == .complete)
        #expect(try mirror.ids(.artwork).isEmpty)
        #expect(try defects(mirror).isEmpty)
    }

    /// What is there again is no failure, though it wasn't found before.
    @Test func mayBeWhatWasNotFoundBefore() async throws {
        let partner = partner(naming: ["b", "c", "b"])
        partner.change { state in state.once["/artwork/b"] = [.text("{}", status: 404)] }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .complete && summary.problems.isEmpty, "\(summary.problems)")
        #expect(try mirror.ids(.artwork) == ["b"])
    }

    /// What the program's own cache holds for hours may be of the object that had the id before.
    @Test func isAskedForWhateverTheCacheHolds() async throws {
        func fresh(_ title: String) -> ScriptedAnswer {
            .text(
                #"{"id":"d","title":"\#(title)"}"#,
                headers: ["Date": "Sat, 21 Nov 2026 10:00:00 GMT", "Cache-Control": "max-age=1000000000"])
        }
        let partner = FakePartner { state in
            for id in ["b", "c", "d"] { state.artwork(id) }
            state.overrides["/artwork/d"] = fresh("Old")
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync(options)
        partner.change { state in
            state.once[Self.list] = [.text(#"["b","c"]"#)]
            state.remove(.artwork, "c")
            state.overrides["/artwork/d"] = fresh("New")
        }
        #expect(try await mirror.sync(options).outcome == .complete)
        #expect(try mirror.read { try $0.find(.artwork, "d")?.summary.name } == "New")
    }

    /// A list that is not taken for the partner's own tells nothing of what is gone.
    @Test func isNotKnownOfAListThatIsPassedOver() async throws {
        let partner = FakePartner { state in
            state.location("public", [])
            state.location("private", [])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync(options)
        partner.change { state in
            state.overrides[FakePartner.State.listURL(.location)] = .text("{}", status: 404)
            state.overrides["/partner/p/locations?ids=1&size=all"] = .text(#"["public","new"]"#)
        }
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .partial && summary.problems.map(\.id) == ["new"], "\(summary.problems)")
    }

    /// A kind of which only what changed was asked for: its last list is from an earlier day.
    @Test func ofAKindThatWasPulledIsFetchedToo() async throws {
        let partner = partner(naming: ["a"], extensions: ["since", "validators"])
        partner.change { $0.artwork("c") }
        let mirror = try TestMirror(partner)
        try await mirror.sync(options)
        func pull(_ date: String, _ change: (inout FakePartner.State) -> Void) async throws -> [String] {
            _ = partner.takeRequests()
            partner.change { state in
                state.date = date
                change(&state)
            }
            #expect(try await mirror.sync(options).outcome == .complete)
            return partner.takeRequests().filter { $0.hasPrefix("GET /artwork/") }
        }
        let first = try await pull("Sat, 21 Nov 2026 11:00:00 GMT") { state in
            state.remove(.artwork, "c")
            state.artwork("e")
            for id in ["c", "e"] { state.touch("artworks", id, at: "2026-11-21T10:30:00Z") }
        }
        #expect(first.isEmpty, "what changed came with the answer")
        let second = try await pull("Sat, 21 Nov 2026 12:00:00 GMT") { state in
            let since = "/partner/p/artworks?since=2026-11-21T10%3A55%3A00.000Z"
            state.once[since] = [
                .text(
                    #"[{"id":"f","etag":"\"1\""}]"#,
                    headers: ["Date": "Sat, 21 Nov 2026 12:00:00 GMT", "Cache-Control": "no-store"])
            ]
            // There again, after the pull.
            state.artwork("c", title: "Again")
        }
        #expect(second == ["GET /artwork/f", "GET /artwork/c"], "not what earlier pulls brought")
        #expect(try mirror.ids(.artwork) == ["a", "c", "e"])
    }

    /// What has to be asked for again is, though the list that names it was asked for only because something else was gone.
    @Test func leavesWhatIsMarkedToBeFetched() async throws {
        let partner = partner(naming: ["a"], extensions: ["since", "validators"])
        partner.change { $0.artwork("y") }
        let mirror = try TestMirror(partner)
        try await mirror.sync(options)
        try mirror.read { _ = try $0.apply([.refetch(kind: .artwork, id: "y")], run: nil) }
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.once["/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"] = [
                .text(
                    #"[{"id":"x","etag":"\"1\""}]"#,
                    headers: ["Date": "Sat, 21 Nov 2026 11:00:00 GMT", "Cache-Control": "no-store"])
            ]
        }
        _ = partner.takeRequests()
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .complete && summary.ways[.artwork]?.isSince == true)
        let asked = partner.takeRequests().filter { $0.hasPrefix("GET /artwork/") }
        #expect(asked == ["GET /artwork/x", "GET /artwork/y"])
    }

    /// Two ids that look alike: that the one is gone says nothing of the other.
    @Test func ofTwoThatLookAlikeOneMayBeGone() async throws {
        let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
        let partner = FakePartner { state in
            state.artwork("a")
            state.once[Self.list] = [.text(#"["a","\#(composed)","\#(decomposed)"]"#)]
            state.overrides[Self.list] = .text(#"["a","\#(composed)"]"#)
            state.overrides["/artwork/caf%C3%A9"] = .text(#"{"id":"other"}"#)
        }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .partial, "\(summary.problems)")
        #expect(summary.problems.compactMap(\.id).map(ExactText.init) == [ExactText(composed)])
    }
}
