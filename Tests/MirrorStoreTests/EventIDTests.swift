import Testing

@testable import MirrorStore

@Suite("Event IDs")
struct EventIDTests {
    @Test func anEventIDIsReadFromItsText() throws {
        for (seq, stamp) in [(Int64(0), UInt64(0)), (1, 35), (.max, .max), (42, 20_260_131_120_000_000)] {
            let id = EventID(log: "0123456789abcdef", seq: seq, stamp: stamp)
            #expect(EventID(id.text) == id)
        }
        #expect(EventID(log: "ab", seq: 42, stamp: 36).text == "ab-42-10")
    }

    @Test(arguments: [
        "", "-", "--", "latest", "ab-1", "ab-1-", "ab--1", "-1-1", "ab-1-1-1", "ab-+1-1", "ab--1-1",
        "ab-01-1",
        "ab-1-01", "ab-1-+1", "ab-1-A", "AB-1-1", "a b-1-1", "ab-1-1 ", " ab-1-1", "ab-9223372036854775808-1",
        "ab-1-zzzzzzzzzzzzzzzz", "ab-١-1", "a\u{301}b-1-1", "ab-1-1\n", "ab\"-1-1", "../x-1-1", "ab-1e1-1",
    ])
    func invalidTextIsNotReadAsAnEventID(_ text: String) { #expect(EventID(text) == nil) }

    @Test func theStampOfAnEventIDIsItsTime() {
        #expect(EventID.stamp(of: "2026-01-31T12:00:00.001Z") == 20_260_131_120_000_001)
        #expect(
            EventID.stamp(of: "2026-01-31T12:00:00.000Z") != EventID.stamp(of: "2026-01-31T12:00:00.001Z"))
    }
}
