import Catalogue
import Foundation
import MirrorDemo
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// Checks a server's feed of events against its lists.
extension SinceCheck {
    func latestEvent() async throws -> String {
        try await asking { session, router in
            try await Self.page(router.latestEvent(), session).eventID
        }
    }

    /// Applies the events after `event` to the former lists, and expects the current lists. Every event must be a change.
    ///
    /// - Returns: the id of the last event.
    @discardableResult
    func check(after event: String, from old: Known) async throws -> String {
        let (events, last) = try await asking { session, router in
            var events: [PartnerEvent] = [], event = event, hasMore = true
            while hasMore {
                let page = try await Self.page(router.events(after: event), session)
                #expect(page.refresh == 0 && page.unread.isEmpty && page.events.count <= 50)
                (event, hasMore) = (page.eventID, page.hasMore)
                events += page.events
            }
            return (events, event)
        }
        try await expect(events, from: old)
        return last
    }

    /// Applies events to the former lists, and expects the current lists.
    func expect(_ events: [PartnerEvent], from old: Known) async throws {
        let now = try await known()
        var known = old
        for event in EventFold.fold(events) where event.kind != "partner" {
            let list = try #require(Kinds.standard[event.kind])
            let before = known[list]?[ExactText(event.id)]
            known[list, default: [:]][ExactText(event.id)] = try Self.validator(event)
            #expect(known[list]?[ExactText(event.id)] != before, "\(event.kind) \(event.id) didn't change")
            #expect((event.action == .create) == (before == nil), "\(event.kind) \(event.id)")
        }
        for list in Kinds.standard.listed { #expect(known[list] ?? [:] == now[list] ?? [:], "\(list)") }
    }

    /// The element of a list with validators that corresponds to an event.
    static func validator(_ event: PartnerEvent) throws -> JSONObject? {
        guard event.action != .delete else { return nil }
        let body = try #require(event.object)
        #expect(EntityTag.strong(of: body.canonicalText) == event.etag, "\(event.kind) \(event.id)")
        var validator: JSONObject = ["id": .string(event.id)]
        validator["etag"] = event.etag.map { .string($0) }
        validator["lists"] = event.lists.map { lists in
            .object(JSONObject(lists.map { ($0.key, .string($0.value)) }))
        }
        return validator
    }

    static func page(_ route: Route, _ session: InterceptableSession) async throws -> EventsAnswer {
        guard let json = try await session.send(ObjectOperation(route)).json else {
            throw CancellationError()
        }
        return try EventsAnswer(json)
    }
}

@Suite("Events of the built-in catalogue", .serialized)
struct DemoEventsTests {
    /// The built-in catalogue without every fifth line of each kind.
    private static var parts: CatalogueFiles {
        var files = DemoCatalogue.files
        for (name, text) in files where name.hasSuffix(".jsonl") {
            let lines = text.split(separator: "\n").enumerated().filter { $0.offset % 5 != 1 }
            files[name] = lines.map { $0.element + "\n" }.joined()
        }
        return .embedded(files)
    }

    @Test func eventsReportExactlyWhatAnImportChanged() async throws {
        let home = try LiveMirror(), check = SinceCheck(home: home, name: "demo")
        try await home.importing(Self.parts, as: "demo")
        let old = try await check.known()
        var event = try await check.latestEvent()
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        event = try await check.check(after: event, from: old)
        let full = try await check.known()
        let reduction = CatalogueImport(Self.parts, into: try home.mirror("demo"), maxDelete: .total(1_000))
        #expect(try await reduction.run().outcome == .complete)
        event = try await check.check(after: event, from: full)
        #expect(try await check.known() == old)
        #expect(try await check.latestEvent() == event)
        try await home.importing(Self.parts, as: "demo")
        #expect(try await check.latestEvent() == event, "an import without changes adds no event")
    }

    private final class Flag: Sendable { let isSet = Mutex(false) }

    @Test func aMirrorsEventsReportASyncsChangesWhileItRuns() async throws {
        let origin = try LiveMirror(), home = try LiveMirror()
        let check = SinceCheck(home: home, name: "demo")
        try await origin.importing(Self.parts, as: "demo")
        try await origin.serving { port in
            _ = try await home.sync("demo", from: "demo", port: port) { $0.media = false }
        }
        let old = try await check.known(), event = try await check.latestEvent()
        try await origin.importing(.embedded(DemoCatalogue.files), as: "demo")
        let isOver = Flag()
        let events = try await origin.serving { port in
            async let following = check.asking { session, router in
                var events: [PartnerEvent] = [], event = event, isDone = false
                while !isDone {
                    let wasOver = isOver.isSet.withLock { $0 }
                    let page = try await SinceCheck.page(router.events(after: event), session)
                    for event in page.events { _ = try SinceCheck.validator(event) }
                    (event, isDone) = (page.eventID, wasOver && !page.hasMore)
                    events += page.events
                }
                return events
            }
            defer { isOver.isSet.withLock { $0 = true } }
            let summary = try await home.sync("demo", from: "demo", port: port) { $0.media = false }
            #expect(summary.outcome == .complete)
            isOver.isSet.withLock { $0 = true }
            return try await following
        }
        try await check.expect(events, from: old)
        try await check.check(after: event, from: old)
    }
}
