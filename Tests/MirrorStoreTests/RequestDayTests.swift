import Foundation
import Testing

@testable import MirrorStore

@Suite("Requests counted by host and day") struct RequestDayTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private func reserve(_ count: Int, to host: String = "h.test", limit: Int = 80) throws -> Int {
        try test.store.reserveRequests(count, to: host, limit: limit).count
    }

    @Test func aDaysRequestsNeverExceedTheLimit() throws {
        #expect(try test.store.requestCount(of: "h.test") == 0)
        #expect(try [reserve(50), reserve(50), reserve(50)] == [50, 30, 0])
        #expect(try test.store.requestCount(of: "h.test") == 80)
        #expect(try reserve(1, limit: 10) == 0, "a smaller limit")
        #expect(try reserve(50, limit: 90) == 10, "a larger limit")
    }

    @Test func eachHostHasItsOwnCount() throws {
        #expect(try [reserve(80), reserve(80, to: "other.test"), reserve(1)] == [80, 80, 0])
    }

    @Test func returnedRequestsCanBeReservedAgain() throws {
        let reserved = try test.store.reserveRequests(80, to: "h.test", limit: 80)
        try test.store.returnRequests(
            RequestReservation(host: reserved.host, day: reserved.day, count: 5))
        #expect(try test.store.requestCount(of: "h.test") == 75)
        #expect(try reserve(50) == 5)
    }

    @Test func aNewDayHasTheWholeLimitAndDoesNotGetRequestsOfTheDayBeforeBack() throws {
        let reserved = try test.store.reserveRequests(80, to: "h.test", limit: 80)
        test.pass(86_400)
        #expect(try reserve(30) == 30)
        try test.store.returnRequests(reserved)
        #expect(try test.store.requestCount(of: "h.test") == 30)
    }

    /// A clock that is set back to yesterday must not allow yesterday's requests again.
    @Test func theCountsOfAWeekAreStored() throws {
        #expect(try reserve(80) == 80)
        for _ in 1...7 {
            test.pass(86_400)
            #expect(try reserve(80) == 80)
        }
        #expect(try test.scalar("SELECT count(*) FROM request_day") == 8)
        test.pass(-86_400)
        #expect(try reserve(1) == 0)
        test.pass(2 * 86_400)
        #expect(try reserve(1) == 1)
        #expect(try test.scalar("SELECT count(*) FROM request_day") == 8)
    }

    /// A killed process has reserved requests that it didn't send; another one gets only the rest.
    @Test func anotherProcessSeesTheReservationsOfThisOne() throws {
        #expect(try reserve(50) == 50)
        let other = try CatalogueStore.open(
            at: test.folder.database, now: { Date(timeIntervalSince1970: 1_800_000_000) })
        defer { try? other.close() }
        #expect(try other.reserveRequests(50, to: "h.test", limit: 80).count == 30)
        #expect(try reserve(50) == 0)
    }

    @Test func countingRequestsDoesNotInvalidateServedAnswers() throws {
        let generation = try test.store.generation()
        let reserved = try test.store.reserveRequests(5, to: "h.test", limit: 80)
        try test.store.returnRequests(reserved)
        #expect(try test.store.generation() == generation)
    }
}
