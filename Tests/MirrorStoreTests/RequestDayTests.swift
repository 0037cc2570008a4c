import Testing

@testable import MirrorStore

@Suite("Requests counted by host and day") struct RequestDayTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private func stored(_ host: String = "https://h.test") throws -> [Int]? {
        try test.store.requestDay(of: host).map { [$0.day, $0.requests] }
    }

    @Test func theLatestDayOfAHostIsReadBack() throws {
        #expect(try stored() == nil)
        try test.store.setRequests(100, to: "https://h.test", onDay: 20_783)
        #expect(try stored() == [20_783, 100])
        #expect(try test.scalar("SELECT day FROM request_day") == "2026-11-26")
        try test.store.setRequests(57, to: "https://h.test", onDay: 20_783)
        #expect(try stored() == [20_783, 57], "a run that sent fewer requests than it reserved")
        try test.store.setRequests(1, to: "https://h.test", onDay: 20_784)
        #expect(try stored() == [20_784, 1])
    }

    @Test func eachHostHasItsOwnNumber() throws {
        try test.store.setRequests(5, to: "https://h.test", onDay: 20_783)
        #expect(try stored("https://other.test") == nil)
    }

    @Test func theNumbersOfAWeekAreStored() throws {
        for day in 20_783...20_793 { try test.store.setRequests(1, to: "https://h.test", onDay: day) }
        #expect(try test.scalar("SELECT count(*) FROM request_day") == 8)
        #expect(try stored() == [20_793, 1])
    }
}
