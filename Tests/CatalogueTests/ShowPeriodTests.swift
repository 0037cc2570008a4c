import Catalogue
import Testing

@Suite("The period of a show")
struct ShowPeriodTests {
    struct Case: Sendable {
        let start: String?, end: String?, status: String?, now: String, isOn: Bool

        init(_ start: String?, _ end: String?, _ status: String?, at now: String, _ isOn: Bool) {
            (self.start, self.end, self.status, self.now, self.isOn) = (start, end, status, now, isOn)
        }
    }

    @Test(arguments: [
        // A date without a time is a whole day in UTC.
        Case("2026-03-01", "2026-03-31", nil, at: "2026-02-28T23:59:59.999Z", false),
        Case("2026-03-01", "2026-03-31", nil, at: "2026-03-01T00:00:00Z", true),
        Case("2026-03-01", "2026-03-31", nil, at: "2026-03-31T23:59:59.999Z", true),
        Case("2026-03-01", "2026-03-31", nil, at: "2026-04-01T00:00:00Z", false),
        Case("2026-03-01", "2026-03-01", nil, at: "2026-03-01T12:00:00Z", true),
        // With a time, the show ends at exactly that time.
        Case("2026-03-01T10:00:00Z", "2026-03-31T18:00:00Z", nil, at: "2026-03-01T09:59:59.999Z", false),
        Case("2026-03-01T10:00:00Z", "2026-03-31T18:00:00Z", nil, at: "2026-03-01T10:00:00Z", true),
        Case("2026-03-01T10:00:00Z", "2026-03-31T18:00:00Z", nil, at: "2026-03-31T17:59:59.999Z", true),
        Case("2026-03-01T10:00:00Z", "2026-03-31T18:00:00Z", nil, at: "2026-03-31T18:00:00Z", false),
        Case("2026-03-01T00:00:00+02:00", "2026-03-31T00:00:00-05:00", nil, at: "2026-02-28T22:00:00Z", true),
        Case(
            "2026-03-01T00:00:00+02:00", "2026-03-31T00:00:00-05:00", nil, at: "2026-03-31T05:00:00Z", false),
        // Dates take precedence over the status, which may be outdated.
        Case("2026-03-01", "2026-03-31", "closed", at: "2026-03-15", true),
        Case("2026-03-01", "2026-03-31", "running", at: "2026-04-15", false),
        Case("2026-03-01", "2026-03-31", "running", at: "2026-02-15", false),
        // Without an end date, the show is running only if its status says so.
        Case("1970-03-01", nil, nil, at: "2026-03-15", false),
        Case("1970-03-01", nil, "closed", at: "2026-03-15", false),
        Case("1970-03-01", nil, "running", at: "2026-03-15", true),
        Case("1970-03-01", nil, "Running", at: "2026-03-15", true),
        Case("2026-03-20", nil, "running", at: "2026-03-15", false),
        Case(nil, nil, "running", at: "2026-03-15", true), Case(nil, nil, nil, at: "2026-03-15", false),
        // The same applies without a start date.
        Case(nil, "2026-03-31", "running", at: "2026-03-15", true),
        Case(nil, "2026-03-31", nil, at: "2026-03-15", false),
        Case(nil, "2026-03-31", "running", at: "2026-04-15", false),
        // An invalid date is ignored.
        Case("2026-03-01", "spring", "running", at: "2026-03-15", true),
        Case("2026-03-01", "spring", nil, at: "2026-03-15", false),
        Case("soon", "2026-03-31", "running", at: "2026-03-15", true),
        Case("2026-03-31", "2026-03-01", "running", at: "2026-03-15", false),
    ])
    func aShowsDatesDecideWhetherItIsRunning(_ row: Case) throws {
        let period = ShowPeriod(startAt: row.start, endAt: row.end, status: row.status)
        #expect(period.isRunning(at: try #require(Timestamp(row.now))) == row.isOn)
    }

    @Test func aShowPeriodIsReadFromAShow() throws {
        var warnings: [FieldWarning] = []
        let json: JSONObject = [
            "id": "s", "start_at": "2026-03-01", "end_at": "2026-03-31", "status": "upcoming",
        ]
        let show = try Show(json, warnings: &warnings)
        #expect(
            ShowPeriod(show) == ShowPeriod(startAt: "2026-03-01", endAt: "2026-03-31", status: "upcoming"))
        let period = ShowPeriod(show)
        #expect(period.isRunning(at: try #require(Timestamp("2026-03-31T23:00:00Z"))))
    }
}
