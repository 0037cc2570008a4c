import Testing

@testable import MirrorHTTP

struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Wed Nov 16 08:49:37 1994", 784_975_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Thu, 18 Aug 2050 02:01:18 GMT", 2_544_400_878),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("THU, 18 AUG 2050 02:01:18 gmt", 2_544_400_878),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799),
        // Years with two digits are at most 50 years after 2023.
        ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
        ("Monday, 18-Aug-75 02:01:18 GMT", 177_559_278),
        ("Friday, 18-Aug-73 02:01:18 GMT", 3_270_247_278),
    ])
    func theThreeHTTPDateFormatsAreParsed(_ text: String, _ seconds: Double) {
        #expect(HTTPDate.parse(text, now: epoch) == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Sun, 06  Nov  1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
        "06 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
    func otherDateFormatsAreRefused(_ text: String) {
        #expect(HTTPDate.parse(text, now: epoch) == nil)
    }

    @Test func aFormattedHTTPDateIsParsedToTheSameTime() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let seconds = Double(Int.random(in: -62_167_219_200...253_402_300_799, using: &generator))
            #expect(HTTPDate.parse(HTTPDate.format(seconds), now: epoch) == seconds)
        }
        #expect(HTTPDate.format(784_111_777.9) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.format(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    }
}
