import Catalogue
import MirrorHTTP

/// Targets for dates, as HTTP and the API write them.
extension FuzzTarget {
    static let times = [
        FuzzTarget(
            "http date",
            seeds: [
                "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                "Thu, 29 Feb 2024 23:59:60 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
            ],
            words: ["Mon", "Feb", "29", "00", "9999", "GMT", "60", " ", "-", ",", "gmt", "Dec", "Saturday"],
            check: checkHTTPDate),
        FuzzTarget(
            "timestamp",
            seeds: [
                "2026-01-31T12:00:00.123456789Z", "2024-02-29", "0000-01-01T00:00:00+23:59",
                "9999-12-31T23:59:60-23:59",
                "2026-01-01 00:00:00", "2026-01-01t00:00:00z", "1969-12-31T23:59:59.9+0130",
            ],
            words: [
                "-", "T", ":", ".", "Z", "+00:00", "60", "0000", "9999", "02-29", "999999999999999999999",
            ],
            check: checkTimestamp),
    ]

    private static func checkHTTPDate(_ input: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: input, as: UTF8.self), now = 784_111_777.0
        let date = HTTPDate.parse(text, now: now)
        // The fast path does not accept capitals alone, and so this takes the slow path.
        let upper = String(
            decoding: text.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
        try FuzzFinding.unless(
            HTTPDate.parse(upper, now: now) == date, "The fast and the slow path agree on a date.")
        guard let date else { return }
        try FuzzFinding.unless(
            HTTPDate.parse(HTTPDate.format(date), now: now) == date,
            "A date that is written and read again is the same.")
    }

    private static func checkTimestamp(_ input: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: input, as: UTF8.self)
        guard let time = Timestamp(text) else { return }
        try FuzzFinding.unless(
            (0..<1_000_000_000).contains(time.nanoseconds), "Nanoseconds are less than a second.")
        // With an offset, the moment may be outside the years 0000 to 9999.
        guard (-62_167_219_200...253_402_300_799).contains(time.seconds) else { return }
        guard let again = Timestamp(time.text) else {
            throw FuzzFinding("A timestamp that is written can be read.")
        }
        try FuzzFinding.unless(
            again.seconds == time.seconds && again.nanoseconds == time.nanoseconds / 1_000_000 * 1_000_000,
            "A timestamp that is written and read again is the same, to the millisecond.")
        try FuzzFinding.unless(time.earlier(months: 0) == time, "Subtracting 0 months changes nothing.")
        let earlier = time.earlier(months: 3)
        try FuzzFinding.unless(
            (89 * 86_400...92 * 86_400).contains(time.seconds - earlier.seconds),
            "Three months are 89 to 92 days.")
        _ = ShowPeriod(startAt: text, endAt: text, status: "running").isRunning(at: time)
    }
}
