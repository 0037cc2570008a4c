/// The `events` extension: recorded events and their answers.
extension FakePartner {
    package struct Feed: Sendable {
        package struct Event: Sendable {
            /// The kind in the plural, as in a list's path: `artworks`.
            package let kind: String
            package let id: String
            package let action: Int
            /// The object that the event contains: the current one, none, or the given text.
            package let content: EventContent
        }

        package enum EventContent: Sendable {
            case fullObject, nothing
            case text(String)
        }

        /// The prefix of every event's id. A new prefix makes all earlier cursors unknown, as with a new database.
        package var log = "L"
        package var events: [Event] = []
        /// The maximum number of events in a page.
        package var pageSize = 50
        /// The refresh mask of every page, until it is reset.
        package var refresh = 0
        /// The ids of the shows with a feed of their own.
        package var shows: Set<String> = []

        package var latest: String { "\(log)-\(events.count)" }
    }
}

extension FakePartner.State {
    /// Adds an event to the feed. The object and its lists are read when the feed is requested.
    package mutating func addEvent(
        _ kind: String, _ id: String, _ action: Int = 2,
        _ content: FakePartner.Feed.EventContent = .fullObject
    ) {
        feed.events.append(FakePartner.Feed.Event(kind: kind, id: id, action: action, content: content))
    }

    /// The answer of a feed; nil for other paths.
    func feed(_ path: String) -> ScriptedAnswer? {
        guard extensions.contains("events"), path.contains("/events/") else { return nil }
        let parts = path.split(separator: "/").map(String.init)
        let show = parts.count > 4 && parts[2] == "show" ? parts[3] : nil
        if let show, !feed.shows.contains(show) { return .text(#"{"error":"not_found"}"#, status: 404) }
        let cursor = parts.last ?? ""
        let headers: [String: String] = [
            "Date": date, "Cache-Control": "no-store", "Content-Type": "application/json",
        ]
        func body(_ text: String, _ status: Int = 200) -> ScriptedAnswer {
            .text(text, status: status, headers: .init(headers.map { ($0.key, $0.value) }))
        }
        if cursor == "latest" { return body(#"{"event_id":"\#(feed.latest)"}"#) }
        let place = cursor.split(separator: "-")
        guard place.count == 2, place[0] == feed.log, let after = Int(place[1]), after <= feed.events.count
        else { return body(#"{"error":"unknown_event"}"#, 410) }
        let page = feed.events.dropFirst(after).prefix(feed.pageSize)
        let content = page.filter { isPart($0, of: show) }.map(element).joined(separator: ",")
        let end = after + page.count, more = end < feed.events.count ? 1 : 0
        return body(
            #"{"event_id":"\#(feed.log)-\#(end)","refresh":\#(feed.refresh),"more":\#(more),"events":[\#(content)]}"#
        )
    }

    private func isPart(_ event: FakePartner.Feed.Event, of show: String?) -> Bool {
        guard let show else { return true }
        let members = lists["/partner/p/show/\(show)/artworks"] ?? []
        return event.kind == "shows"
            ? event.id == show : event.kind == "artworks" && members.contains(event.id)
    }

    private func element(_ event: FakePartner.Feed.Event) -> String {
        let kind = event.kind.hasSuffix("s") ? String(event.kind.dropLast()) : event.kind
        let object = objects[
            event.kind == "partner" ? "/partner/p/all" : FakePartner.path(event.kind, event.id)]
        let name = #""id":"\#(event.id)","kind":"\#(kind)""#
        guard event.action != 0, let object else { return "{\(name),\"action\":0}" }
        let tags = #","etag":\#(FakePartner.quoted(object))\#(FakePartner.lists(event.kind, event.id, self))"#
        let content =
            switch event.content {
            case .fullObject: ",\"object\":\(object)"
            case .nothing: ""
            case .text(let text): ",\"object\":\(text)"
            }
        return "{\(name),\"action\":\(event.action)\(tags)\(content)}"
    }
}
