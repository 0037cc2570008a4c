import Catalogue
import Foundation
import Testing

@Suite struct TimestampCalendarTests {
    @Test(arguments: [
        ("2026-05-31T12:00:00.5Z", 3, "2026-02-28T12:00:00.500Z"),
        ("2024-05-31", 3, "2024-02-29T00:00:00.000Z"),
        ("2026-03-15T23:59:59Z", 3, "2025-12-15T23:59:59.000Z"),
        ("2026-01-31", 2, "2025-11-30T00:00:00.000Z"),
        ("2026-12-31", 12, "2025-12-31T00:00:00.000Z"), ("2024-02-29", 12, "2023-02-28T00:00:00.000Z"),
        ("2026-11-30", -3, "2027-02-28T00:00:00.000Z"), ("1970-01-01", 1, "1969-12-01T00:00:00.000Z"),
        ("2026-03-31T01:00:00+02:00", 1, "2026-02-28T23:00:00.000Z"),
        ("2026-07-01", 0, "2026-07-01T00:00:00.000Z"),
    ])
    func earlierTimestampsAreCountedInCalendarMonthsInUTC(_ text: String, _ months: Int, _ expected: String)
        throws
    {
        #expect(try #require(Timestamp(text)).earlier(months: months).text == expected)
    }

    @Test func everyDayIsReadBackAsItWasWritten() throws {
        for day in stride(from: -719_528, through: 2_932_896, by: 97) {
            let time = Timestamp(seconds: day * 86_400 + 86_399, nanoseconds: 999_999_999)
            let written = try #require(Timestamp(time.text))
            #expect(written.seconds == time.seconds && written.nanoseconds == 999_000_000)
            #expect(time.text.utf8.count == 24)
        }
    }

    @Test func timestampsAreWrittenLikeFoundation() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for seconds in [0, -1, 951_782_399, 1_800_000_000, 4_102_444_800, -2_000_000_000] {
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(Timestamp(seconds: seconds).text == date.formatted(style))
        }
    }
}
