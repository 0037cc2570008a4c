import Foundation
import PeriodicLoops

/// Which works are lent, and to whom, as the loan desk says: it appends a line of JSON to a file for each work that goes or comes.
struct LoanBook: Sendable {
    struct Event: Codable, Sendable {
        let artwork: String
        /// `nil` if the work is back.
        let borrower: String?
    }

    struct Content: Codable {
        /// How many of the desk's events are in here.
        var events = 0
        var borrowers: [String: String] = [:]

        mutating func apply(_ new: [Event]) {
            for event in new { borrowers[event.artwork] = event.borrower }
            events += new.count
        }
    }

    let file: URL
    let desk: URL

    /// `nil` before the desk was asked for the first time.
    var content: Content? {
        get throws {
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            return try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
        }
    }

    /// All events of the desk, oldest first.
    func events() throws -> [Event] {
        guard FileManager.default.fileExists(atPath: desk.path) else { return [] }
        return try String(contentsOf: desk, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Event.self, from: Data($0.utf8))
        }
    }

    /// Stores the borrowers with the cursor, in one file that takes the place of the one before.
    func store(_ content: Content, ticket: CommitTicket) throws {
        let data = try JSONEncoder().encode(content)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try ticket.check()
        try data.write(to: file, options: .atomic)
    }
}

/// Follows the loan desk, in the queue of the watch.
struct LoanLoop: EventsLoop {
    /// At most 100 events of the desk.
    struct Page: EventsPage {
        var events: [LoanBook.Event] = []
        var refresh: RefreshMask = []
        var hasMore = false
    }

    let book: LoanBook
    let notify: @Sendable (Kiosk.Notice) -> Void
    let loopID = "loans"

    var latestEventID: String? { get async throws { try book.content.map { "\($0.events)" } } }

    func poll(after eventID: String) async throws -> Page {
        let events = try book.events()
        // The desk has begun a new file.
        guard let known = Int(eventID), known <= events.count else { return Page(refresh: .everything) }
        let new = events.dropFirst(known)
        return Page(events: Array(new.prefix(100)), hasMore: new.count > 100)
    }

    func process(_ page: Page, ticket: CommitTicket) async throws {
        guard !page.events.isEmpty else { return }
        var content = try book.content ?? LoanBook.Content()
        content.apply(page.events)
        try book.store(content, ticket: ticket)
        notify(.loans)
    }

    func refresh(_ kinds: RefreshMask, answer: Page?, ticket: CommitTicket) async throws {
        var content = LoanBook.Content()
        content.apply(try book.events())
        try book.store(content, ticket: ticket)
        notify(.loans)
    }

    func onError(_ error: any Error) async -> LoopFailure {
        LoopFailure(error)
            ?? (error is DecodingError ? .unprocessable("\(error)") : .unreachable("\(error)"))
    }
}
