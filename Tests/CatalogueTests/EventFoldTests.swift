import Testing

@testable import Catalogue

@Suite("Folding events")
struct EventFoldTests {
    private static let first: JSONObject = ["id": "x", "a": 1, "b": 1], second: JSONObject = ["b": 2, "c": 2]

    private static func event(_ action: PartnerEvent.Action, _ object: JSONObject?) -> PartnerEvent {
        PartnerEvent(kind: "artwork", id: "x", action: action, object: action == .delete ? nil : object)
    }

    private static let merged: JSONObject = ["id": "x", "a": 1, "b": 2, "c": 2]

    static let pairs: [(PartnerEvent.Action, PartnerEvent.Action, PartnerEvent.Action, JSONObject?)] = [
        (.delete, .delete, .delete, nil), (.delete, .create, .update, second),
        (.delete, .update, .update, second), (.delete, .partial, .update, nil),
        (.create, .delete, .delete, nil), (.create, .create, .create, second),
        (.create, .update, .create, second), (.create, .partial, .create, merged),
        (.update, .delete, .delete, nil), (.update, .create, .update, second),
        (.update, .update, .update, second), (.update, .partial, .update, merged),
        (.partial, .delete, .delete, nil), (.partial, .create, .update, second),
        (.partial, .update, .update, second), (.partial, .partial, .partial, merged),
    ]

    @Test(arguments: pairs.indices)
    func everyPairOfActionsIsFoldedByItsRule(_ index: Int) {
        let (earlier, later, action, object) = Self.pairs[index]
        let folded = EventFold.combined(Self.event(earlier, Self.first), Self.event(later, Self.second))
        #expect(folded == Self.event(action, object), "\(earlier), then \(later)")
    }

    @Test(arguments: [PartnerEvent.Action.create, .update, .partial])
    func aPartialEventOfAnUnknownObjectFoldsToAnEventWithoutAnObject(_ action: PartnerEvent.Action) {
        let unknown = Self.event(action, nil), partial = Self.event(.partial, Self.second)
        #expect(EventFold.combined(unknown, partial) == unknown)
        #expect(EventFold.combined(Self.event(action, Self.first), Self.event(.partial, nil)) == unknown)
    }

    @Test func theETagsOfTheLaterEventAreKept() {
        let lists = ["artworks": "l"]
        let earlier = PartnerEvent(kind: "show", id: "x", action: .update, etag: "1", lists: lists)
        let later = PartnerEvent(
            kind: "show", id: "x", action: .partial, etag: "2", lists: ["documents": "d"])
        let folded = EventFold.combined(earlier, later)
        #expect(folded.etag == "2" && folded.lists == ["documents": "d"])
        let silent = EventFold.combined(earlier, PartnerEvent(kind: "show", id: "x", action: .update))
        #expect(silent.etag == nil && silent.lists == nil)
    }

    @Test func foldedEventsContainEachObjectOnceInTheOrderOfItsLastEvent() {
        func event(_ kind: String, _ id: String, _ action: PartnerEvent.Action) -> PartnerEvent {
            PartnerEvent(kind: kind, id: id, action: action)
        }
        let folded = EventFold.fold([
            event("show", "x", .create), event("artwork", "x", .update), event("artwork", "y", .delete),
            event("show", "x", .update), event("artwork", "y", .create),
        ])
        #expect(
            folded == [
                event("artwork", "x", .update), event("show", "x", .create), event("artwork", "y", .update),
            ])
        #expect(EventFold.fold([]).isEmpty)
    }

    @Test func foldingComparesIdsAndKindsByTheirBytes() {
        let events = ["é", "e\u{301}", "É"].map { PartnerEvent(kind: "artist", id: $0, action: .update) }
        #expect(EventFold.fold(events).map { Array($0.id.utf8) } == events.map { Array($0.id.utf8) })
        let kinds = ["é", "e\u{301}"].map { PartnerEvent(kind: $0, id: "x", action: .update) }
        #expect(EventFold.fold(kinds).count == 2)
    }

    // MARK: - Properties

    private static func random(_ random: inout SeededGenerator) -> PartnerEvent {
        let action = PartnerEvent.Action.allCases.randomElement(using: &random) ?? .update
        var object: JSONObject? = Int.random(in: 0..<5, using: &random) == 0 ? nil : JSONObject()
        for key in ["a", "b", "c"] where Bool.random(using: &random) {
            object?[key] = JSONValue(integerLiteral: Int.random(in: 0..<4, using: &random))
        }
        return PartnerEvent(
            kind: ["artwork", "artist"].randomElement(using: &random) ?? "",
            id: ["é", "e\u{301}", "x"].randomElement(using: &random) ?? "", action: action,
            etag: ["1", "2", nil].randomElement(using: &random) ?? nil,
            object: action == .delete ? nil : object)
    }

    /// The state of an object in a client.
    private enum Held: Equatable {
        case object(JSONObject)
        /// The object has to be requested.
        case asked
    }

    private static func apply(_ events: [PartnerEvent], to held: [[UInt8]: Held]) -> [[UInt8]: Held] {
        events.reduce(into: held) { held, event in
            let key = Array("\(event.kind)/\(event.id)".utf8)
            switch (event.action, held[key]) {
            case (.delete, _): held[key] = nil
            case (.create, _), (.update, _): held[key] = event.object.map { .object($0) } ?? .asked
            case (.partial, .object(let object)?):
                held[key] = EventFold.merged(object, event.object).map { .object($0) } ?? .asked
            case (.partial, _): held[key] = .asked
            }
        }
    }

    @Test func applyingFoldedEventsEqualsApplyingAllEvents() {
        var random = SeededGenerator(6)
        for _ in 0..<2_000 {
            let events = (0..<Int.random(in: 0...12, using: &random)).map { _ in Self.random(&random) }
            let before = Self.apply((0..<4).map { _ in Self.random(&random) }, to: [:])
            #expect(Self.apply(EventFold.fold(events), to: before) == Self.apply(events, to: before))
            #expect(EventFold.fold(EventFold.fold(events)) == EventFold.fold(events))
        }
    }

    @Test func foldingDoesNotDependOnHowAFeedIsDividedIntoPages() {
        var random = SeededGenerator(7)
        for _ in 0..<2_000 {
            let events = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.random(&random) }
            let cut = Int.random(in: 0...events.count, using: &random)
            #expect(
                EventFold.fold(EventFold.fold(Array(events[..<cut])) + events[cut...])
                    == EventFold.fold(events))
        }
    }

    /// Ignores the difference between creation and update: a deletion in between may have been folded away.
    @Test func foldingEventsIsAssociative() {
        func leveled(_ event: PartnerEvent) -> PartnerEvent {
            PartnerEvent(
                kind: event.kind, id: event.id, action: event.action == .create ? .update : event.action,
                etag: event.etag, lists: event.lists, object: event.object)
        }
        var random = SeededGenerator(8)
        for _ in 0..<5_000 {
            let (a, b, c) = (Self.random(&random), Self.random(&random), Self.random(&random))
            let left = EventFold.combined(EventFold.combined(a, b), c)
            let right = EventFold.combined(a, EventFold.combined(b, c))
            #expect(leveled(left).action == leveled(right).action && left.object == right.object)
            #expect(left.etag == right.etag)
        }
    }
}
