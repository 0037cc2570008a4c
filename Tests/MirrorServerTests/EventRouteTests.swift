import Catalogue
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("The partner's feed of events")
struct EventRouteTests {
    let test: TestServer
    let router = Router(partner: TestServer.partner)
    private var store: CatalogueStore { test.store }

    init() throws { test = try TestServer() }

    private func latest() async throws -> String {
        let answer = try await test.get(router.latestEvent())
        #expect(answer.status == 200)
        return try EventsAnswer(try #require(answer.json().objectValue)).eventID
    }

    /// Requests a page, and checks that its bytes are in canonical form.
    private func page(_ event: String) async throws -> EventsAnswer {
        let answer = try await test.get(router.events(after: event))
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json.canonicalText == answer.text)
        let page = try EventsAnswer(try #require(json.objectValue))
        #expect(page.unreadable.isEmpty)
        return page
    }

    private func events(after event: String) async throws -> [String] {
        try await page(event).events.map { "\($0.action) \($0.kind) \($0.id)" }
    }

    private func removeArtwork(_ id: String) throws {
        _ = try store.apply([.tombstone(kind: .artwork, id: id, evidence: "test")], run: nil)
    }

    // MARK: - Pages

    @Test func eventsContainTheCurrentStateAndAreSentOldestFirst() async throws {
        for id in ["a", "b", "c", "e"] { try store.put(.artwork, id) }
        let start = try await latest()
        try store.put(.artwork, "b", #"{"id":"b","title":"B"}"#)
        try removeArtwork("a")
        try store.put(.artwork, "new")
        try store.put(.artwork, "brief")
        try removeArtwork("c")
        try removeArtwork("brief")
        try store.put(.artwork, "c", #"{"id":"c","title":"Again"}"#)
        try store.put(.artwork, "new", #"{"id":"new","title":"Newer"}"#)
        let page = try await page(start)
        #expect(
            page.events.map { "\($0.action) \($0.id)" } == [
                "update b", "delete a", "delete brief", "update c", "create new",
            ])
        #expect(page.refresh == 0 && !page.hasMore)
        for event in page.events where event.action != .delete {
            let served = try await test.get(router.object(.artwork, event.id))
            #expect(event.object?.canonicalText == served.text && event.etag == served.etag)
            #expect(event.lists == nil)
        }
        #expect(page.events.dropFirst().first == PartnerEvent(kind: "artwork", id: "a", action: .delete))
        #expect(try await page.eventID == latest())
    }

    @Test func aClientAtTheLatestEventGetsAnEmptyPage() async throws {
        let event = try await latest()
        let answer = try await test.get(router.events(after: event))
        #expect(answer.text == #"{"event_id":"\#(event)","events":[],"more":0,"refresh":0}"#)
        try store.put(.artwork, "a")
        #expect(try await events(after: event) == ["create artwork a"])
    }

    @Test func changesOfThePartnerAreEvents() async throws {
        let event = try await latest()
        try store.put(.partner, "p1", #"{"id":"p1","name":"Renamed"}"#)
        let page = try await page(event), served = try await test.get(router.partner())
        let reported = try #require(page.events.first)
        #expect(page.events.count == 1 && reported.kind == "partner" && reported.action == .update)
        #expect(reported.object?.canonicalText == served.text && reported.etag == served.etag)
    }

    @Test func writingAPartnerFlagIsNotAnEvent() async throws {
        let event = try await latest()
        let target = "/api/v1/partner/p1/partner_flags"
        let answer = try await test.ask(
            .put, target, [.contentType: "application/x-www-form-urlencoded"],
            body: "key=last_folio_access&value=2027-01-15T08:00:00Z")
        #expect((200..<300).contains(answer.status))
        #expect(try await latest() == event)
    }

    @Test func listETagsInEventsEqualThoseOfTheListsThemselves() async throws {
        let event = try await latest()
        for kind in [Kind.artist, .album, .location, .show] { try store.put(kind, "x/y") }
        for kind in [Kind.show, .album, .location] {
            try store.put(["2", "1", "ghost"], in: Owner(kind, "x/y"))
        }
        for owner in [Owner(.show, "x/y"), Owner(.artist, "x/y")] { try store.put(document: "d", of: owner) }
        try store.put(images: ["i2", "i1"], ofShow: "x/y", role: .installation)
        try store.put(images: ["c"], ofShow: "x/y", role: .cover)
        let lists: [String: [String: Route]] = [
            "artist": ["documents": router.list(.documents, of: Owner(.artist, "x/y"))],
            "album": ["artworks": router.list(.artworks, of: Owner(.album, "x/y"))],
            "location": ["artworks": router.list(.artworks, of: Owner(.location, "x/y"))],
            "show": [
                "artworks": router.list(.artworks, of: Owner(.show, "x/y")),
                "documents": router.list(.documents, of: Owner(.show, "x/y")),
                "images?default=0": router.list(.installationShots, of: Owner(.show, "x/y"), .page(1)),
                "images?default=1": router.list(.cover, of: Owner(.show, "x/y"), .page(1)),
            ],
        ]
        let events = try await page(event).events
        #expect(Set(events.map(\.kind)) == Set(lists.keys))
        for event in events {
            let routes = try #require(lists[event.kind])
            #expect(event.lists.map { Set($0.keys) } == Set(routes.keys))
            for (name, route) in routes {
                #expect(try await test.get(route).etag == event.lists?[name], "\(event.kind) \(name)")
            }
        }
    }

    @Test func changesUnderAnObjectAreEventsOfTheObject() async throws {
        try store.put(.artwork, "w")
        for kind in [Kind.artist, .album, .location, .show] { try store.put(kind, "x") }
        let changes: [(String, String, () throws -> Void)] = [
            ("show", "artworks", { try store.put(["1"], in: Owner(.show, "x")) }),
            ("show", "documents", { try store.put(document: "d", of: Owner(.show, "x")) }),
            ("show", "documents", { try store.put(document: "d", of: Owner(.show, "x"), title: "Other") }),
            ("show", "images?default=0", { try store.put(images: ["i"], ofShow: "x", role: .installation) }),
            ("show", "images?default=1", { try store.put(images: ["n"], ofShow: "x", role: .cover) }),
            ("artist", "documents", { try store.put(document: "d", of: Owner(.artist, "x")) }),
            ("album", "artworks", { _ = try store.setAlbumArtwork("w", in: "x", present: true) }),
            ("location", "artworks", { try store.put(["2"], in: Owner(.location, "x")) }),
        ]
        var known: [String: [String: String]] = [:]
        let start = try await latest()
        for (kind, list, change) in changes {
            let event = try await latest()
            try change()
            let events = try await page(event).events
            #expect(events.count == 1)
            let reported = try #require(events.first)
            #expect(reported.kind == kind && reported.action == .update && reported.object != nil)
            let etags = try #require(reported.lists)
            #expect(etags[list] != known[kind]?[list], "\(kind) \(list)")
            for (name, etag) in known[kind] ?? [:] where name != list { #expect(etags[name] == etag) }
            known[kind] = etags
        }
        #expect(try await page(start).events.count == 4)
    }

    @Test func eventsContainHostileIdsUnchanged() async throws {
        let event = try await latest()
        for id in hostileIDs { try store.put(.artwork, id) }
        let ids = try await page(event).events.map { Array($0.id.utf8) }
        #expect(ids == hostileIDs.map { Array($0.utf8) })
    }

    @Test func anUnlistedObjectIsSentAsADeletion() async throws {
        let event = try await latest()
        let values = Kind.artwork.columns.map { _ in FieldValue.null }
        var linked = ObjectRecord(kind: .artwork, id: "a", values: values, json: #"{"id":"a"}"#, etag: nil)
        linked.isLinked = true
        _ = try store.apply([.object(linked)], run: nil)
        #expect(try await events(after: event) == ["delete artwork a"])
        try store.put(.artwork, "a", #"{"id":"a"}"#)
        #expect(try await events(after: event) == ["create artwork a"], "once it is listed")
    }

    // MARK: - Many pages

    @Test func aPageOfEventsHasFiftyObjects() async throws {
        var event = try await latest(), pages: [Int] = [], ids: [String] = []
        for number in 0..<120 { try store.put(.artwork, "\(number)") }
        for number in 0..<10 { try store.put(.artwork, "\(number)", #"{"id":"\#(number)","title":"T"}"#) }
        var hasMore = true
        while hasMore {
            let page = try await page(event)
            (event, hasMore) = (page.eventID, page.hasMore)
            pages.append(page.events.count)
            ids += page.events.map(\.id)
        }
        #expect(pages == [50, 50, 30])
        let expected = Array(0..<120) + Array(0..<10)
        #expect(ids == expected.map { "\($0)" })
    }

    @Test func aRunThatCreatedTenThousandObjectsIsSentInPages() async throws {
        var event = try await latest()
        let values = Kind.artwork.columns.map { _ in FieldValue.null }
        let run = try store.beginRun("import")
        _ = try store.apply(
            (0..<10_000).map {
                .object(
                    ObjectRecord(
                        kind: .artwork, id: "\($0)", values: values, json: #"{"id":"\#($0)"}"#, etag: nil))
            }, run: run)
        var count = 0, pages = 0, hasMore = true
        while hasMore {
            let page = try await page(event)
            #expect(page.events.allSatisfy { $0.action == .create && $0.id == $0.object?["id"]?.stringValue })
            #expect(page.events.first?.id == "\(count)" && page.eventID != event)
            (event, hasMore) = (page.eventID, page.hasMore)
            count += page.events.count
            pages += 1
        }
        #expect(count == 10_000 && pages == 200)
        #expect(try await event == latest())
    }

    @Test func eventsOmitObjectsOnceThePageIsFull() async throws {
        let event = try await latest(), text = String(repeating: "x", count: 300_000)
        for id in 0..<6 { try store.put(.artwork, "\(id)", #"{"id":"\#(id)","title":"\#(text)"}"#) }
        try store.put(.artwork, "small")
        let events = try await page(event).events
        #expect(events.map { $0.object != nil } == [true, true, true, true, false, false, false])
        #expect(events.allSatisfy { $0.etag != nil && $0.action == .create })
    }

    // MARK: - Unknown and expired events

    @Test func anUnknownEventIdGets410() async throws {
        let event = try await latest(), other = try TestServer()
        try other.store.put(.artwork, "a")
        let foreign = try EventsAnswer(
            try #require(try await other.get(router.latestEvent()).json().objectValue)
        ).eventID
        let parts = event.split(separator: "-")
        for text in [
            foreign, "nonsense", "0", "\(parts[0])-\(parts[1])-0", "\(parts[0])-99-\(parts[2])", event + " ",
            "'; DROP TABLE change; --", "../latest", String(repeating: "9", count: 10_000),
        ] {
            let answer = try await test.get(router.events(after: text))
            #expect(
                answer.status == 410 && answer.text == #"{"error":"unknown_event"}"#, "\(text.prefix(40))")
            #expect(answer.headers[.cacheControl] == "no-store")
        }
        #expect(try await test.get("/partner/other/events/\(event)").status == 404)
        #expect(try await test.get("/partner/other/events/latest").status == 404)
        let posted = try await test.ask(.post, "/api/v1" + router.events(after: event).canonicalURL)
        #expect(posted.status == 405)
    }

    @Test func aCursorBeforeTheStartOfTheTruncatedLogGetsARefresh() async throws {
        let event = try await latest()
        test.pass()
        try store.put(.artwork, "a")
        let end = try await latest()
        try store.trimHistory(olderThan: test.pass())
        #expect(try await page(event) == EventsAnswer(eventID: end, refresh: 255))
        #expect(try await page(end) == EventsAnswer(eventID: end))
        try store.put(.artwork, "b")
        #expect(try await events(after: end) == ["create artwork b"])
    }

    @Test func aCursorIsExpiredWhenChangesAfterItExceedTheRetention() async throws {
        let event = try await latest()
        try store.put(.artwork, "a")
        let end = try await latest()
        test.pass(100 * 86_400)
        #expect(try await events(after: event) == ["create artwork a"])
        #expect(try await page(end) == EventsAnswer(eventID: end))
        test.pass(0.001)
        #expect(try await page(event) == EventsAnswer(eventID: end, refresh: 255))
        #expect(try await page(end) == EventsAnswer(eventID: end), "it misses nothing")
        try store.put(.artwork, "b")
        #expect(try await events(after: end) == ["create artwork b"])
    }

    @Test func theEventRetentionIsConfigurable() async throws {
        let short = CatalogueServer(
            mirrors: [.init(name: "test", store: store, files: test.files)],
            configuration: .init(eventRetention: .seconds(60)))
        let event = try await latest()
        try store.put(.artwork, "a")
        test.pass(61)
        let page = try await test.get(router.events(after: event), of: short)
        #expect(page.text.hasSuffix(#""events":[],"more":0,"refresh":255}"#))
        #expect(try await events(after: event) == ["create artwork a"])
    }

    // MARK: - The answer itself

    @Test func eventAnswersAreNotCacheable() async throws {
        let event = try await latest()
        try store.put(.artwork, "a")
        let now = try await latest()
        for route in [router.latestEvent(), router.events(after: event), router.events(after: now)] {
            let answer = try await test.get(route)
            #expect(answer.headers[.cacheControl] == "no-store" && answer.etag == nil)
            #expect(answer.headers[.contentType] == "application/json")
            let head = try await test.ask(.head, "/api/v1" + route.canonicalURL)
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.headers[.contentLength] == String(answer.body.count))
        }
    }

    @Test func theFeedOfEventsRequiresTheAccessToken() async throws {
        let closed = try TestServer(token: "secret")
        #expect(try await closed.get(router.latestEvent()).status == 401)
    }

    /// Each version of the show, its pictures and its document is stored in one transaction while clients read.
    @Test func aPageOfEventsNeverContainsAPartlyStoredObject() async throws {
        let store = store, versions = 150
        let etags = (0...versions).map { ListBody.values([ImageRecord.make("i\($0)").json]).etag }
        let values = Kind.show.columns.map { _ in FieldValue.null }
        let list = ListName(url: "/images", owner: Owner(.show, "s"), name: "images?default=0")
        @Sendable func put(_ version: Int) throws {
            let json = #"{"id":"s","version":\#(version)}"#
            _ = try store.apply(
                [
                    .object(ObjectRecord(kind: .show, id: "s", values: values, json: json, etag: nil)),
                    .showImages(
                        show: "s", role: .installation, images: [.make("i\(version)")],
                        list: ListAnswer(list: list, etag: nil, date: nil)),
                ], run: nil)
        }
        let event = try await latest()
        try put(0)
        async let writing: Void = offloadBlocking { for version in 1...versions { try put(version) } }
        var last = -1
        while last < versions {
            let show = try #require(try await page(event).events.first)
            let version = try #require(show.object?["version"]?.numberValue?.intValue)
            #expect(show.lists?["images?default=0"] == etags[version] && version >= last)
            last = version
        }
        try await writing
    }
}
