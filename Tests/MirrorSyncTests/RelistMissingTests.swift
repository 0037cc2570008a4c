import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Ids that change while a sync reads the catalogue: if listed objects are missing, a sync requests the list again.
@Suite("Objects that only a repeated list names", .fewAtATime)
struct RelistMissingTests {
    private static let list = FakePartner.State.listURL(.artwork)

    /// A server whose list of artworks changes with each request: each answer names one artwork, and only the last one exists.
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
    func objectsThatOnlyARepeatedListNamesAreFetchedInTheSameRun(ids: [String]) async throws {
        let partner = partner(naming: ids)
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .complete && summary.problems.isEmpty, "\(summary.problems)")
        #expect(try mirror.ids(.artwork) == ids.suffix(1))
        #expect(try defects(mirror).isEmpty)
        let requests = partner.takeRequests()
        for id in ids { #expect(requests.filter { $0 == "GET /artwork/\(id)" }.count == 1) }
        #expect(requests.filter { $0.hasPrefix("GET \(Self.list)") }.count == ids.count)
        // Members are joined as if the first list had named the object.
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ids.suffix(1))
    }

    @Test func aListThatChangesWithEachRequestIsNotRequestedWithoutEnd() async throws {
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

    @Test func anObjectOfARepeatedListCanFailLikeAnyOther() async throws {
        let partner = partner(naming: ["b", "c"])
        partner.change { $0.overrides["/artwork/c"] = .text(#"{"id":"other"}"#) }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .partial && summary.problems.map(\.id) == ["c"], "\(summary.problems)")
    }

    @Test func aFailedObjectIsNotRequestedAgainBecauseOfTheRepeatedList() async throws {
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

    /// The next run receives only the deletion, and leaves no defect in the mirror.
    @Test func anObjectOfARepeatedListThatIsDeletedBeforeTheNextRunIsRemoved() async throws {
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

    @Test func anObjectThatWasNotFoundMayBeFoundThroughTheRepeatedList() async throws {
        let partner = partner(naming: ["b", "c", "b"])
        partner.change { state in state.once["/artwork/b"] = [.text("{}", status: 404)] }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync(options)
        #expect(summary.outcome == .complete && summary.problems.isEmpty, "\(summary.problems)")
        #expect(try mirror.ids(.artwork) == ["b"])
    }

    /// A fresh answer in the cache may be that of an earlier object with the same id.
    @Test func objectsOfARepeatedListAreRequestedWithoutTheCache() async throws {
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

    @Test func aMissingObjectIsAProblemIfItsListIsNotThePartnersOwn() async throws {
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

    /// Since requests are sent for the kind, so that its stored list is from an earlier sync.
    @Test func missingObjectsOfAPulledKindAreFetchedThroughTheRepeatedList() async throws {
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
        #expect(first.isEmpty, "the answer contains the changed objects")
        let second = try await pull("Sat, 21 Nov 2026 12:00:00 GMT") { state in
            let since = "/partner/p/artworks?since=2026-11-21T10%3A55%3A00.000Z"
            state.once[since] = [
                .text(
                    #"[{"id":"f","etag":"\"1\""}]"#,
                    headers: ["Date": "Sat, 21 Nov 2026 12:00:00 GMT", "Cache-Control": "no-store"])
            ]
            // The object exists again after the pull.
            state.artwork("c", title: "Again")
        }
        #expect(second == ["GET /artwork/f", "GET /artwork/c"], "not the objects of earlier pulls")
        #expect(try mirror.ids(.artwork) == ["a", "c", "e"])
    }

    @Test func objectsMarkedForRefetchingAreFetchedBesideTheRepeatedList() async throws {
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
        let requests = partner.takeRequests().filter { $0.hasPrefix("GET /artwork/") }
        #expect(requests == ["GET /artwork/x", "GET /artwork/y"])
    }

    @Test func idsThatDifferInUnicodeNormalisationAreDistinguishedWhenOneIsGone() async throws {
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
