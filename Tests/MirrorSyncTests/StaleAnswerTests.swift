import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A proxy sends a cached answer, although the server has just announced another version.
@Suite("An answer that is older than what was announced", .fewAtATime)
struct StaleAnswerTests {
    private let partner = FakePartner { state in
        state.extensions = ["validators", "since"]
        state.hasListETags = true
        state.artwork("a")
        for id in ["x", "y"] { state.artwork(id) }
        state.album("m", ["x"])
    }

    private func stale(_ body: String, saysDate: Bool = true) -> ScriptedAnswer {
        var headers: HeaderFields = ["Age": "600", "Cache-Control": "no-cache"]
        if saysDate { headers["Date"] = "Sat, 21 Nov 2026 10:00:00 GMT" }
        return .text(body, etag: FakePartner.etag(body), headers: headers)
    }

    private func mirror() async throws -> TestMirror {
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        return mirror
    }

    /// The answer to the since request doesn't contain the object, so it is requested.
    @Test func aStaleObjectIsRequestedAgain() async throws {
        let mirror = try await mirror()
        let before = partner.object("/artwork/a")
        partner.change { state in
            state.artwork("a", title: "Other")
            let etag = FakePartner.quoted(state.objects["/artwork/a"] ?? "")
            state.once["/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"] = [
                .text(#"[{"id":"a","etag":\#(etag)}]"#, headers: ["Date": "Sat, 21 Nov 2026 10:01:00 GMT"])
            ]
            state.overrides["/artwork/a"] = stale(before)
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .partial && summary.problems.map(\.what).contains("older answer"))
        partner.change { state in
            state.overrides = [:]
            state.touch("artworks", "a", at: "2026-11-21T09:56:00Z")
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "Other")
    }

    @Test func aStaleListUnderAnObjectIsRequestedAgain() async throws {
        let mirror = try await mirror()
        partner.change { state in
            state.lists["/partner/p/album/m/artworks"] = ["x", "y"]
            state.touch("albums", "m", at: "2026-11-21T09:56:00Z")
            state.overrides["/partner/p/album/m/artworks?ids=1&size=all"] = stale(#"["x"]"#)
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["x", "y"])
    }

    /// Without ETags of lists under objects, only the answer's age shows that it is stale.
    @Test func aStaleListWithoutAnETagIsCorrectedByTheNextPull() async throws {
        partner.change { $0.hasListETags = false }
        let mirror = try await mirror()
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 10:20:00 GMT"
            state.lists["/partner/p/album/m/artworks"] = ["x", "y"]
            state.touch("albums", "m", at: "2026-11-21T10:12:00.000Z")
            state.overrides["/partner/p/album/m/artworks?ids=1&size=all"] = .text(
                #"["x"]"#, etag: FakePartner.etag(#"["x"]"#),
                headers: ["Age": "600", "Date": state.date, "Cache-Control": "no-cache"])
        }
        let summary = try await mirror.sync { ($0.media, $0.full) = (false, true) }
        #expect(summary.outcome == .complete)
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["x", "y"])
    }

    /// The ETags in a cached list are as old as the list, so they don't show that the object is stale.
    @Test func aStaleObjectFromAStaleListIsCorrectedByTheNextPull() async throws {
        let mirror = try await mirror()
        let before = partner.object("/artwork/a"), url = "/partner/p/artworks?ids=1&size=all&validators=1"
        let list = partner.answer(TransportRequest(url: "http://origin.test/api/v1\(url)"))
        partner.change { state in
            state.artwork("a", title: "Other")
            state.touch("artworks", "a", at: "2026-11-21T09:58:00.000Z")
            state.date = "Sat, 21 Nov 2026 10:20:00 GMT"
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        partner.change { state in
            state.extensions = ["validators"]
            state.overrides[url] = list
            state.overrides["/artwork/a"] = stale(before)
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } != "Other")
        partner.change { state in
            state.extensions = ["validators", "since"]
            state.overrides = [:]
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && summary.ways[.artwork]?.isSince == true)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "Other")
    }

    /// A linked object is in no list, so an old answer for it has no effect on the date of its kind.
    @Test func aStaleAnswerForALinkedObjectDoesNotMoveTheSinceDateBack() async throws {
        partner.change { state in
            state.artwork("a", artist: "z")
            state.objects["/artist/z"] = #"{"id":"z","name":"Z"}"#
            let old: HeaderFields = ["Age": "9000000", "Date": state.date, "Cache-Control": "no-cache"]
            state.overrides["/artist/z"] = .text(#"{"id":"z","name":"Z"}"#, headers: old)
            state.overrides["/partner/p/artist/z/documents?ids=1&size=all"] = .text(#"["d"]"#, headers: old)
            state.overrides["/partner/p/artist/z/document/d"] = .text(#"{"id":"d"}"#, headers: old)
        }
        let mirror = try await mirror()
        #expect(partner.takeRequests().contains { $0.hasSuffix("/artist/z/document/d") })
        #expect(try mirror.read { try $0.sinceRecords()[.artist]?.since } == "2026-11-21T09:55:00.000Z")
    }

    /// The list is unchanged since the last sync, so it alone wouldn't lead to another request.
    @Test func aStaleObjectOfAFullSyncIsRequestedAgain() async throws {
        partner.change { $0.extensions = ["validators"] }
        let mirror = try await mirror()
        let before = partner.object("/artwork/a")
        partner.change { $0.artwork("a", title: "Other") }
        for _ in 0..<2 { #expect(try await mirror.sync { $0.media = false }.outcome == .complete) }
        partner.change { $0.overrides["/artwork/a"] = stale(before) }
        let summary = try await mirror.sync { ($0.media, $0.full) = (false, true) }
        #expect(summary.outcome == .partial && summary.problems.map(\.what).contains("older answer"))
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "Other")
    }

    /// In one run, the server doesn't state its extensions. Objects of that run may be older than the stored since date.
    @Test func aStaleObjectOfARunWithoutSinceIsCorrectedByTheNextPull() async throws {
        let mirror = try await mirror()
        let before = partner.object("/artwork/a")
        partner.change { state in
            state.artwork("a", title: "Other")
            state.touch("artworks", "a", at: "2026-11-21T09:56:00.000Z")
            state.date = "Sat, 21 Nov 2026 10:20:00 GMT"
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.sinceRecords()[.artwork]?.since } == "2026-11-21T10:15:00.000Z")
        partner.change { state in
            state.extensions = []
            state.overrides["/artwork/a"] = stale(before)
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } != "Other")
        partner.change { state in
            state.extensions = ["validators", "since"]
            state.overrides = [:]
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "Other")
    }

    /// Without `since`, an unchanged list of albums would mean that the lists under them are unchanged too. For an answer without
    /// a date, the time when it was received is used.
    @Test(arguments: [true, false])
    func aStaleListIsRequestedAgainEvenIfTheListOfItsKindIsUnchanged(saysDate: Bool) async throws {
        partner.change { state in
            state.hasListETags = false
            state.extensions = ["validators"]
            state.lists["/partner/p/album/m/artworks"] = ["x", "y"]
            state.overrides["/partner/p/album/m/artworks?ids=1&size=all"] = stale(
                #"["x"]"#, saysDate: saysDate)
        }
        let mirror = try await mirror()
        partner.change { $0.overrides = [:] }
        for _ in 0..<2 { #expect(try await mirror.sync { $0.media = false }.outcome == .complete) }
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["x", "y"])
        _ = partner.takeRequests()
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(!partner.takeRequests().contains { $0.contains("/album/m") })
    }

    /// The list is no longer trusted although it was current before, with or without ETags in its answers.
    @Test(arguments: [true, false])
    func aStaleListOfAFullSyncIsRequestedAgain(hasListETags: Bool) async throws {
        partner.change { state in
            (state.extensions, state.hasListETags) = (["validators"], hasListETags)
            state.lists["/partner/p/album/m/artworks"] = ["x", "y"]
        }
        let mirror = try await mirror(), url = "/partner/p/album/m/artworks?ids=1&size=all"
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        partner.change { $0.overrides[url] = stale(#"["x"]"#, saysDate: false) }
        let summary = try await mirror.sync { ($0.media, $0.full) = (false, true) }
        #expect(summary.outcome == (hasListETags ? .partial : .complete))
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["x"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["x", "y"])
    }

    /// The first page is current, and has the ETag that was announced for the whole list.
    @Test(arguments: [true, false])
    func aStaleLaterPageOfPicturesIsRequestedAgain(hasListETags: Bool) async throws {
        let list = "/partner_show/s/images?default=0", page = "\(list)&page=2&size=20"
        let all = ["i", "j", "k"].map { #"{"id":"\#($0)","image_url":"s/\#($0)/:version.jpg"}"# }
        func second(_ count: Int, cached: Bool) -> ScriptedAnswer {
            .text("[\(all[1...count].joined(separator: ","))]", headers: cached ? ["Age": "600"] : [:])
        }
        partner.change { state in
            (state.extensions, state.hasListETags) = (["validators"], hasListETags)
            state.show("s", [])
            state.lists[list] = all
            state.overrides["\(list)&page=1&size=20"] = .text(
                "[\(all[0])]", etag: FakePartner.etag("[\(all.joined(separator: ","))]"))
            state.overrides[page] = second(1, cached: true)
        }
        let mirror = try await mirror()
        #expect(try mirror.pictures(ofShow: "s") == ["i", "j"])
        partner.change { $0.overrides[page] = second(2, cached: false) }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.pictures(ofShow: "s") == ["i", "j", "k"])
        // After that, everything is current.
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        _ = partner.takeRequests()
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(!partner.takeRequests().contains { $0.contains("/images") })
    }

    @Test func anAbsurdlyOldAnswerDoesNotEndTheRun() async throws {
        partner.change { $0.hasListETags = false }
        let mirror = try await mirror()
        partner.change { state in
            state.overrides["/partner/p/album/m/artworks?ids=1&size=all"] = .text(
                #"["x"]"#,
                headers: [
                    "Age": "9223372036854775807", "Date": "Thu, 01 Jan 1970 00:00:00 GMT",
                    "Cache-Control": "no-cache",
                ])
        }
        #expect(try await mirror.sync { ($0.media, $0.full) = (false, true) }.outcome == .partial)
        partner.change { $0.overrides = [:] }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && summary.ways[.album] == .lists(.first), "\(summary.ways)")
    }

    /// A list older than the stored one is not stored, and the sync is not complete.
    @Test func aListOlderThanTheStoredOneIsRequestedAgain() async throws {
        let mirror = try await mirror()
        partner.change { state in
            state.lists["/partner/p/album/m/artworks"] = ["x", "y"]
            state.touch("albums", "m", at: "2026-11-21T10:10:00Z")
            state.date = "Sat, 21 Nov 2026 10:30:00 GMT"
            state.overrides["/partner/p/album/m/artworks?ids=1&size=all"] = .text(
                #"["y"]"#, headers: ["Date": "Sat, 21 Nov 2026 09:00:00 GMT"])
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        partner.change { state in
            state.overrides = [:]
            state.date = "Sat, 21 Nov 2026 11:30:00 GMT"
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["x", "y"])
    }

    @Test func anAnnouncedListThatIsNotFoundIsAFailure() async throws {
        let mirror = try await mirror()
        partner.change { state in
            state.lists["/partner/p/album/m/artworks"] = ["x", "y"]
            state.touch("albums", "m", at: "2026-11-21T09:56:00Z")
            state.overrides["/partner/p/album/m/artworks?ids=1&size=all"] = .text("{}", status: 404)
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["x", "y"])
    }
}

extension TestMirror {
    fileprivate func pictures(ofShow id: String) throws -> [String] {
        try read { try $0.storedImages(of: Owner(.show, id), role: .installation).map(\.id) }
    }
}
