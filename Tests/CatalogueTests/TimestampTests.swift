import Catalogue
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0, 0), ("2016-01-06T12:34:56Z", 1_452_083_696, 0),
        ("2016-01-06t12:34:56z", 1_452_083_696, 0), ("2016-01-06 12:34:56Z", 1_452_083_696, 0),
        ("2016-01-06T13:34:56+01:00", 1_452_083_696, 0), ("2016-01-06T07:04:56-0530", 1_452_083_696, 0),
        ("2016-01-06T12:34:56", 1_452_083_696, 0), ("2016-01-06T12:34:56.5Z", 1_452_083_696, 500_000_000),
        ("2016-01-06T12:34:56.123456789987Z", 1_452_083_696, 123_456_789),
        ("2016-12-31T23:59:60Z", 1_483_228_800, 0), ("2000-02-29T00:00:00Z", 951_782_400, 0),
        ("1969-12-31T23:59:59Z", -1, 0), ("2016-01-06", 1_452_038_400, 0), ("0000-03-01", -62_162_035_200, 0),
        ("0000-01-01", -62_167_219_200, 0),
    ])
    func rfc3339TimestampsAreRead(text: String, seconds: Int, nanoseconds: Int) {
        #expect(Timestamp(text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(arguments: [
        "", "2016", "2016-1-6T00:00:00Z", "2016-13-01T00:00:00Z", "2016-00-01", "2016-02-30", "2015-02-29",
        "1900-02-29", "2016-01-06T24:00:00Z", "2016-01-06T00:60:00Z", "2016-01-06T00:00:61Z",
        "2016-01-06T00:00Z",
        "2016-01-06T00:00:00.Z", "2016-01-06T00:00:00+1", "2016-01-06T00:00:00+24:00",
        "2016-01-06T00:00:00Zx",
        "2016-01-06Z", "Wed, 06 Jan 2016 12:34:56 GMT", "２016-01-06",
    ])
    func invalidTimestampsAreRejected(text: String) { #expect(Timestamp(text) == nil) }

    @Test func timestampsWrittenByFoundationAreRead() {
        var random = SeededGenerator(3)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        for _ in 0..<3000 {
            // Foundation uses the Julian calendar before October 1582.
            let seconds = Int.random(in: -12_219_000_000...200_000_000_000, using: &random)
            let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            #expect(Timestamp(text)?.seconds == seconds, "\(text)")
            let offset = Int.random(in: -23...23, using: &random)
            let local = Date(timeIntervalSince1970: Double(seconds + offset * 3600)).formatted(style)
                .dropLast()
            let hours = abs(offset) < 10 ? "0\(abs(offset))" : "\(abs(offset))"
            #expect(Timestamp("\(local)\(offset < 0 ? "-" : "+")\(hours):00")?.seconds == seconds)
        }
    }

    @Test func timestampsCompareAcrossOffsetsAndFractions() throws {
        func isLater(_ left: String, than right: String) throws -> Bool {
            try #require(Timestamp(left)) > #require(Timestamp(right))
        }
        #expect(try isLater("2016-01-06T00:00:00Z", than: "2016-01-06T00:30:00+01:00"))
        #expect(try isLater("2016-01-06T00:00:00.2Z", than: "2016-01-06T00:00:00.15Z"))
        #expect(try isLater("2016-01-06T00:00:00Z", than: "2016-01-06T01:00:00+01:00") == false)
    }
}
