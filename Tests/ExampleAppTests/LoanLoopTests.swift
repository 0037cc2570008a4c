import Foundation
import MirrorTesting
import PeriodicLoops
import Testing

@testable import ExampleApp

@Suite("Loan loop of the example app") struct LoanLoopTests {
    private let fixture: KioskFixture

    init() throws { fixture = try KioskFixture() }

    private var loop: LoanLoop { LoanLoop(book: fixture.kiosk.loans, notify: { _ in }) }

    private var borrowers: [String: String]? { get throws { try fixture.kiosk.loans.content?.borrowers } }

    @Test func aPageOfLoansIsStoredWithItsCursor() async throws {
        try fixture.lend("cut-piece", to: "Tate")
        #expect(try await loop.latestEventID == nil)
        try await loop.refresh(.everything, answer: nil, ticket: CommitTicket())
        #expect(try borrowers == ["cut-piece": "Tate"])
        try fixture.lend("cut-piece", to: nil)
        try fixture.lend("sky-piece", to: "Louvre")
        let cursor = try #require(try await loop.latestEventID)
        let page = try await loop.poll(after: cursor)
        #expect(page.events.count == 2 && !page.hasMore && page.refresh.isEmpty)
        try await loop.process(page, ticket: CommitTicket())
        #expect(try borrowers == ["sky-piece": "Louvre"])
        #expect(try await loop.latestEventID == "3")
    }

    @Test func noLoansAreStoredAfterTheTicketWasRevoked() async throws {
        let ticket = CommitTicket()
        ticket.revoke()
        await #expect(throws: LoopError.self) {
            try await loop.refresh(.everything, answer: nil, ticket: ticket)
        }
        #expect(try fixture.kiosk.loans.content == nil)
    }

    @Test func aNewFileOfTheLoanDeskIsReadFromItsStart() async throws {
        for title in ["a", "b"] { try fixture.lend(title, to: "Tate") }
        try await loop.refresh(.everything, answer: nil, ticket: CommitTicket())
        try FileManager.default.removeItem(at: fixture.kiosk.loans.desk)
        try fixture.lend("c", to: "Louvre")
        let page = try await loop.poll(after: "2")
        #expect(page.refresh == .everything)
        try await loop.refresh(page.refresh, answer: page, ticket: CommitTicket())
        #expect(try borrowers == ["c": "Louvre"])
    }

    @Test func anInvalidLineOfTheLoanDeskMakesThePageUnprocessable() async throws {
        try Data("no event\n".utf8).write(to: fixture.kiosk.loans.desk)
        let error = try await #require(throws: DecodingError.self) { try await loop.poll(after: "0") }
        #expect(await loop.onError(error).kind == .unprocessable)
    }
}
