import Testing

@testable import Catalogue

@Suite("Reading pages of events")
struct EventsAnswerTests {
    private func answer(_ json: String) throws -> EventsAnswer {
        try EventsAnswer(try #require(JSONValue(parsing: Array(json.utf8)).objectValue))
    }

    private func event(_ json: String) throws -> PartnerEvent {
        try PartnerEvent(try JSONValue(parsing: Array(json.utf8)))
    }

    @Test func aPageOfEventsIsRead() throws {
        let page = try answer(
            #"""
            {"event_id":"7-a","refresh":0,"more":1,"events":[
              {"id":"w","kind":"artwork","action":1,"etag":"\"e\"","object":{"id":"w","title":"T"}},
              {"id":"s","kind":"show","action":2,"etag":"\"f\"","lists":{"artworks":"\"l\"","images?default=0":"\"i\""}},
              {"id":"a","kind":"artist","action":3,"object":{"name":"N"}},
              {"id":"m","kind":"album","action":0}]}
            """#)
        #expect(
            page
                == EventsAnswer(
                    eventID: "7-a", hasMore: true,
                    events: [
                        PartnerEvent(
                            kind: "artwork", id: "w", action: .create, etag: "\"e\"",
                            object: ["id": "w", "title": "T"]),
                        PartnerEvent(
                            kind: "show", id: "s", action: .update, etag: "\"f\"",
                            lists: ["artworks": "\"l\"", "images?default=0": "\"i\""]),
                        PartnerEvent(kind: "artist", id: "a", action: .partial, object: ["name": "N"]),
                        PartnerEvent(kind: "album", id: "m", action: .delete),
                    ]))
    }

    @Test func theAnswerToEventsLatestIsReadAsAPageWithoutEvents() throws {
        #expect(try answer(#"{"event_id":"x"}"#) == EventsAnswer(eventID: "x"))
        #expect(try answer(#"{"event_id":17}"#).eventID == "17")
        #expect(
            try answer(#"{"event_id":"x","events":null,"more":null,"refresh":null,"new":{}}"#)
                == EventsAnswer(eventID: "x"))
    }

    @Test(arguments: [
        #"{}"#, #"{"event_id":null}"#, #"{"event_id":" "}"#, #"{"event_id":{}}"#,
        #"{"event_id":"x","events":{}}"#, #"{"event_id":"x","events":"none"}"#,
        #"{"event_id":"x","events":0}"#,
    ])
    func malformedPagesOfEventsAreRejected(_ json: String) {
        #expect(throws: PayloadError.self) { try answer(json) }
    }

    @Test(arguments: [
        ("0", 0), ("255", 255), ("6", 6), ("512", 512), ("-1", -1), ("\"2\"", 2), ("\" 16 \"", 16),
        ("\"0\"", 0), ("\"\"", 0), ("2.0", 2), ("2.5", 255), ("1e40", 255), ("true", 255), ("false", 0),
        ("\"all\"", 255), ("[]", 255), ("null", 0),
    ])
    func aMalformedRefreshMaskMeansAllKinds(_ text: String, _ mask: Int) throws {
        #expect(try answer(#"{"event_id":"x","refresh":\#(text)}"#).refresh == mask)
    }

    @Test(arguments: [
        ("1", true), ("true", true), ("\"1\"", true), ("2", true), ("0", false), ("false", false),
        ("\"0\"", false), ("-1", false), ("null", false), ("\"yes\"", false), ("[1]", false),
    ])
    func moreMayBeANumberOrABoolean(_ text: String, _ isMore: Bool) throws {
        #expect(try answer(#"{"event_id":"x","more":\#(text)}"#).hasMore == isMore)
    }

    @Test func anUnreadableEventIsReportedAndTheOthersAreKept() throws {
        let page = try answer(
            #"""
            {"event_id":"x","events":[{"id":"w","kind":"artwork","action":0},{"id":"w"},{"kind":"show","action":0},
              {"id":"","kind":"show"},{"id":"w","kind":"  "},{"id":"w","kind":7},"w",null,
              {"id":5,"kind":"show","action":0}]}
            """#)
        #expect(page.events.map(\.id) == ["w", "5"])
        #expect(page.unreadable.count == 7)
    }

    @Test(arguments: [
        ("0", PartnerEvent.Action.delete), ("1", .create), ("2", .update), ("3", .partial),
        ("\"0\"", .delete),
        ("3.0", .partial),
    ])
    func eventActionsAreNumbers(_ text: String, _ action: PartnerEvent.Action) throws {
        let event = try event(#"{"id":"x","kind":"k","action":\#(text),"etag":"e","object":{"a":1}}"#)
        #expect(event.action == action && event.etag == "e" && event.object == ["a": 1])
    }

    @Test(arguments: ["4", "-1", "null", "\"\"", "\"gone\"", "0.5", "true", "{}"])
    func anUnknownActionIsAnUpdateWithoutAnObject(_ text: String) throws {
        let event = try event(
            #"{"id":"x","kind":"k","action":\#(text),"etag":"e","lists":{"a":"b"},"object":{"id":"x"}}"#)
        #expect(event == PartnerEvent(kind: "k", id: "x", action: .update))
    }

    @Test func eventsOfUnknownKindsAreRead() throws {
        #expect(try event(#"{"id":"x","kind":"press_release","action":1}"#).kind == "press_release")
    }

    @Test func blankAndMistypedFieldsOfEventsAreAbsent() throws {
        let event = try event(
            #"{"id":"x","kind":"show","action":2,"etag":" ","lists":{"artworks":null,"documents":"d"},"object":[1]}"#
        )
        #expect(event == PartnerEvent(kind: "show", id: "x", action: .update, lists: ["documents": "d"]))
        #expect(try self.event(#"{"id":"x","kind":"show","action":2,"etag":7,"lists":[]}"#).lists == nil)
    }
}
