import Catalogue
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("The since extension")
struct SinceRouteTests {
    let test: TestServer
    let router = Router(partner: TestServer.partner)
    /// The time of the first change.
    let start: String

    init() throws {
        test = try TestServer()
        start = test.store.timestamp()
    }

    private func changed(_ list: Kind, since time: String) async throws -> [ListEntry] {
        let answer = try await test.get(router.since(list, time))
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json.canonicalText == answer.text)
        return try #require(json.arrayValue).map { try ListEntry($0) }
    }

    private func ids(_ list: Kind, since time: String) async throws -> [String] {
        try await changed(list, since: time).map { ($0.deletedAt == nil ? "" : "-") + $0.id }
    }

    @Test func aSinceAnswerListsCreatedUpdatedAndDeletedObjectsOldestFirst() async throws {
        let store = test.store
        for id in ["a", "b", "c", "d", "e"] { try store.put(.album, id) }
        #expect(try await ids(.album, since: start) == ["a", "b", "c", "d", "e"])
        let later = test.pass()
        try store.put(.album, "b", #"{"id":"b","name":"B"}"#)
        #expect(try store.removeAlbum("a"))
        let last = test.pass()
        try store.put(.album, "new")
        try store.put(.album, "brief")
        #expect(try store.removeAlbum("c"))
        #expect(try store.removeAlbum("brief"))
        try store.put(.album, "c", #"{"id":"c","name":"Again"}"#)
        let entries = try await changed(.album, since: later)
        #expect(entries.map(\.id) == ["b", "a", "new", "brief", "c"])
        #expect(entries[0].object?.canonicalText == #"{"id":"b","name":"B"}"#)
        #expect(entries[1] == ListEntry(id: "a", deletedAt: later))
        #expect(entries[3] == ListEntry(id: "brief", deletedAt: last), "a client may have read it meanwhile")
        #expect(entries[4].object?["name"]?.stringValue == "Again" && entries[4].deletedAt == nil)
        #expect(try await ids(.album, since: last) == ["new", "-brief", "c"])
        #expect(try await ids(.album, since: test.pass(0.001)) == [])
        #expect(try await test.get(router.since(.album, test.store.timestamp())).text == "[]")
        #expect(try await ids(.artwork, since: start) == [])
    }

    @Test(arguments: Kinds.standard.listed)
    func sinceElementsEqualTheValidatorsAndTheObjectsAtTheirURLs(_ list: Kind) async throws {
        try fill()
        let entries = try #require(try await test.get(router.since(list, start)).json().arrayValue)
        let validators = try #require(try await test.get(router.list(list, .validators)).json().arrayValue)
        #expect(entries.count == validators.count && !entries.isEmpty)
        let known = Set(validators.map(\.canonicalText))
        for entry in entries {
            var validator = try #require(entry.objectValue)
            let object = try #require(validator["object"]?.objectValue), id = try ListEntry(entry).id
            validator["object"] = nil
            #expect(known.contains(validator.canonicalText), "\(list) \(id)")
            let served = try await test.get(route(list, id))
            #expect(served.text == object.canonicalText && served.etag == validator["etag"]?.stringValue)
        }
    }

    /// Shows with and without each type of list, with ordinary and hostile ids.
    private func fill() throws {
        let store = test.store
        for id in hostileIDs { try store.put(.artwork, id) }
        for kind in [Kind.artist, .album, .location, .show] {
            for id in ["x", "y/z", "a\"b", "é", "e\u{301}", "\u{301}"] { try store.put(kind, id) }
        }
        for kind in [Kind.show, .album, .location] {
            try store.put(["2", "1", "ghost"], in: Owner(kind, "x"))
            try store.put(["\u{301}"], in: Owner(kind, "é"))
        }
        for owner in [Owner(.show, "x"), Owner(.artist, "y/z"), Owner(.artist, "\u{301}")] {
            try store.put(document: "d2", of: owner)
            try store.put(document: "d1", of: owner)
        }
        try store.put(images: ["i2", "i1"], ofShow: "x", role: .installation)
        try store.put(images: ["c"], ofShow: "a\"b", role: .cover)
    }

    private func route(_ list: Kind, _ id: String) -> Route {
        router.object(list, id)
    }

    @Test func sinceAnswersIncludeObjectsWhoseListsChanged() async throws {
        try fill()
        let store = test.store
        let changes: [(Kind, String, String, () throws -> Void)] = [
            (.show, "x", "artworks", { try store.put(["1"], in: Owner(.show, "x")) }),
            (.show, "x", "documents", { try store.put(document: "d3", of: Owner(.show, "x")) }),
            (
                .show, "x", "images?default=0",
                { try store.put(images: [], ofShow: "x", role: .installation) }
            ),
            (.show, "x", "images?default=1", { try store.put(images: ["n"], ofShow: "x", role: .cover) }),
            (.artist, "y/z", "documents", { try store.put(document: "d3", of: Owner(.artist, "y/z")) }),
            (.album, "x", "artworks", { _ = try store.setAlbumArtwork("*", in: "x", present: true) }),
            (.location, "x", "artworks", { try store.put([], in: Owner(.location, "x")) }),
        ]
        for (list, id, name, change) in changes {
            let before = try #require(try await changed(list, since: start).first { $0.id == id })
            let time = test.pass()
            try change()
            let entries = try await changed(list, since: time)
            #expect(entries.map(\.id) == [id])
            #expect(entries[0].lists?[name] != before.lists?[name], "\(list) \(name)")
            #expect(entries[0].etag == before.etag && entries[0].object == before.object)
        }
    }

    @Test func aLongSinceAnswerIsStreamedAsOneList() async throws {
        let long = String(repeating: "x", count: 200_000)
        for number in 0..<1_300 {
            let text = number % 400 == 7 ? long : "short"
            try test.store.put(.artwork, "\(number)", #"{"id":"\#(number)","title":"\#(text)"}"#)
        }
        for id in ["600", "1200"] { try test.store.put(.artwork, id, #"{"id":"\#(id)"}"#) }
        let answer = try await test.get(router.since(.artwork, start))
        #expect(answer.headers[.contentLength] == nil)
        let entries = try #require(try answer.json().arrayValue).map { try ListEntry($0) }
        let last = ["600", "1200"]
        #expect(entries.map(\.id) == (0..<1_300).map(String.init).filter { !last.contains($0) } + last)
        #expect(entries.allSatisfy { $0.object?["id"]?.stringValue == $0.id && $0.etag != nil })
    }

    @Test func sinceAnswersAreNotCacheable() async throws {
        try test.store.put(.artist, "x")
        let answer = try await test.get(router.since(.artist, start))
        #expect(answer.headers[.cacheControl] == "no-store" && answer.etag == nil)
        #expect(answer.headers[.contentType] == "application/json")
        let head = try await test.ask(.head, "/api/v1" + router.since(.artist, start).canonicalURL)
        #expect(head.status == 200 && head.body.isEmpty)
        // A short list has a Content-Length.
        let length = answer.headers[.contentLength]
        #expect(length == "\(answer.body.count)" && head.headers[.contentLength] == length)
    }

    @Test func theSinceParameterTakesPrecedenceOverOtherListForms() async throws {
        try test.store.put(.artist, "x")
        let path = router.since(.artist, start).canonicalURL
        let plain = try await test.get(path)
        for query in [
            "&ids=1&size=all", "&ids=1&size=all&validators=1", "&page=0", "&size=all", "&private=true",
        ] {
            #expect(try await test.get(path + query).text == plain.text, "\(query)")
        }
    }

    @Test func sinceAcceptsEveryFormOfRFC3339() async throws {
        try test.store.put(.artist, "x")
        #expect(start == "2027-01-15T08:00:00.000Z")
        for time in [
            "2027-01-15T08:00:00Z", "2027-01-15T08:00:00.0000009Z", "2027-01-15t08:00:00z",
            "2027-01-15%2008:00:00Z",
            "2027-01-15T09:30:00+01:30", "2027-01-15T09%3A30%3A00%2B01%3A30", "2027-01-15T00:00:00-08:00",
        ] {
            let answer = try await test.get("/partner/p1/artists?since=\(time)")
            #expect(answer.status == 200 && answer.text.contains(#""id":"x""#), "\(time)")
        }
        for time in ["2027-01-15T08:00:00.001Z", "9999-12-31T23:59:59-23:59", "2027-02-15"] {
            #expect(try await test.get("/partner/p1/artists?since=\(time)").text == "[]", "\(time)")
        }
        for time in [
            "", "yesterday", "1800000000", "2027-01-15T09:30:00%2001:30", "2027-13-01",
            "Fri,%2015%20Jan%202027",
        ] {
            let answer = try await test.get("/partner/p1/artists?since=\(time)")
            #expect(answer.status == 400 && answer.text == #"{"error":"invalid_since"}"#, "\(time)")
        }
        #expect(try await test.get("/partner/other/artists?since=\(start)").status == 404)
    }

    @Test(arguments: [
        ("2027-05-31T12:00:00Z", "2027-02-28T12:00:00Z", true),
        ("2027-05-31T12:00:00Z", "2027-02-28T11:59:59.999Z", false),
        ("2028-05-31T12:00:00Z", "2028-02-29T12:00:00Z", true),
        ("2028-05-30T00:00:00Z", "2028-02-28T23:59:59Z", false),
        ("2027-01-15T08:00:00.250Z", "2026-10-15T10:00:00.250+02:00", true),
        ("2027-01-15T08:00:00.250Z", "2026-10-15T10:00:00.249+02:00", false),
        ("2027-01-15T08:00:00Z", "0000-01-01T00:00:00+23:59", false),
        ("2027-01-15T08:00:00Z", "2027-01-16T08:00:00Z", true),
    ])
    func sinceAcceptsTimesOfTheLastThreeCalendarMonths(_ now: String, _ since: String, _ isTaken: Bool) throws
    {
        let now = try #require(Timestamp(now))
        if isTaken {
            let time = try SinceQuery.time(since, now: now)
            #expect(Timestamp(time) == Timestamp(since))
        } else {
            #expect(throws: Refusal.sinceTooOld) { try SinceQuery.time(since, now: now) }
        }
    }

    @Test func sinceIsRejectedWhenTheLogDoesNotReachBackFarEnough() async throws {
        func answer(_ time: String) async throws -> TestServer.Answer {
            try await test.get(router.since(.artist, time))
        }
        // The first change is the partner, which the fixture creates.
        #expect(try await answer(start).status == 200)
        for time in ["2027-01-15T07:59:59.999Z", "2026-10-15T08:00:00Z", "2026-10-14"] {
            let answer = try await answer(time)
            #expect(answer.status == 400 && answer.text == #"{"error":"since_too_old"}"#, "\(time)")
        }
        let cut = test.pass(86_400)
        try test.store.trimHistory(olderThan: cut)
        #expect(try await answer(start).text == #"{"error":"since_too_old"}"#)
        #expect(try await answer(cut).text == "[]")
    }
}
