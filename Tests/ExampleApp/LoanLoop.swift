import Foundation
import PeriodicLoops

/// The borrowers of the works that are on loan.
///
/// The loan desk appends a line of JSON to a file for each work that is lent or returned. The desk's file is the feed that
/// ``LoanLoop`` follows. The app stores the result in a file of its own.
struct LoanBook: Sendable {
    /// One line of the desk's file.
    struct Event: Codable, Sendable {
        /// The artwork's id.
        let artwork: String
        /// The borrower's name; `nil` if the work was returned.
        let borrower: String?
    }

    /// The content of the app's own file: the borrowers, and the cursor.
    struct Content: Codable {
        /// The number of the desk's events that have been applied. It is the loop's cursor.
        var events = 0
        /// The borrowers, by the artwork's id.
        var borrowers: [String: String] = [:]

        /// Applies further events, in order.
        mutating func apply(_ new: [Event]) {
            for event in new { borrowers[event.artwork] = event.borrower }
            events += new.count
        }
    }

    /// The app's own file.
    let file: URL
    /// The desk's file.
    let desk: URL

    /// The stored content; `nil` if nothing has been stored yet.
    var content: Content? {
        get throws {
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            return try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
        }
    }

    /// Reads all events of the desk, the oldest first. A missing file has none.
    func events() throws -> [Event] {
        guard FileManager.default.fileExists(atPath: desk.path) else { return [] }
        return try String(contentsOf: desk, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Event.self, from: Data($0.utf8))
        }
    }

    /// Stores borrowers and cursor together: one file, replaced atomically. So the cursor never names events that aren't stored.
    ///
    /// - Parameter ticket: it is checked just before the file is replaced.
    /// - Throws: ``LoopError`` if the ticket was revoked, for example because the loop was disabled; then nothing is stored.
    func store(_ content: Content, ticket: CommitTicket) throws {
        let data = try JSONEncoder().encode(content)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try ticket.check()
        try data.write(to: file, options: .atomic)
    }
}

/// Follows the loan desk's events. The watch polls it as often as the partner's feed.
struct LoanLoop: EventsLoop {
    /// Up to 100 events of the desk.
    struct Page: EventsPage {
        var events: [LoanBook.Event] = []
        var refresh: RefreshMask = []
        var hasMore = false
    }

    let book: LoanBook
    let notify: @Sendable (Kiosk.Notice) -> Void
    /// The loop's name in the status of the watch; unique among its loops.
    let loopID = "loans"

    /// The stored cursor. While it is `nil`, the watch calls ``refresh(_:answer:ticket:)`` before it polls.
    var latestEventID: String? { get async throws { try book.content.map { "\($0.events)" } } }

    /// Reads the next events after a cursor. `hasMore` makes the watch poll again soon.
    func poll(after eventID: String) async throws -> Page {
        let events = try book.events()
        // The cursor is beyond the end: the desk has started a new file, so everything is read again.
        guard let known = Int(eventID), known <= events.count else { return Page(refresh: .everything) }
        let new = events.dropFirst(known)
        return Page(events: Array(new.prefix(100)), hasMore: new.count > 100)
    }

    /// Applies and stores a page.
    func process(_ page: Page, ticket: CommitTicket) async throws {
        guard !page.events.isEmpty else { return }
        var content = try book.content ?? LoanBook.Content()
        content.apply(page.events)
        try book.store(content, ticket: ticket)
        notify(.loans)
    }

    /// Reads all events again. This loop has only one kind of data, so `kinds` doesn't matter.
    func refresh(_ kinds: RefreshMask, answer: Page?, ticket: CommitTicket) async throws {
        var content = LoanBook.Content()
        content.apply(try book.events())
        try book.store(content, ticket: ticket)
        notify(.loans)
    }

    /// Classifies an error. After `unreachable` the watch only waits before it tries again; after several failures that are
    /// `unprocessable` it calls ``refresh(_:answer:ticket:)`` for everything.
    func onError(_ error: any Error) async -> LoopFailure {
        LoopFailure(error)
            ?? (error is DecodingError ? .unprocessable("\(error)") : .unreachable("\(error)"))
    }
}
