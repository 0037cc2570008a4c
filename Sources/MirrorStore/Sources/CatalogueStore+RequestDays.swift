import GRDB

/// The numbers of requests to each host on each UTC day, in the table `request_day`, for catalogues with a limit for each day.
///
/// A number is stored before the requests are sent. So a killed run never sends more than the limit; it may send fewer.
extension CatalogueStore {
    /// For how long the numbers are stored.
    private static let storedDays = 7

    /// The latest day with a number of requests to a host.
    ///
    /// - Returns: the day, counted from 1 January 1970, and the number; `nil` if none is stored.
    package func requestDay(of host: String) throws -> (day: Int, requests: Int)? {
        try read { db in
            try db.row(
                """
                SELECT CAST(julianday(day) - julianday('1970-01-01') AS INTEGER), requests FROM request_day
                WHERE host = ? ORDER BY day DESC LIMIT 1
                """, [host]
            ).map { ($0[0], $0[1]) }
        }
    }

    /// Stores the number of requests to a host on a day, so that it survives a power failure.
    ///
    /// - Parameter day: counted from 1 January 1970.
    package func setRequests(_ requests: Int, to host: String, onDay day: Int) throws {
        try writeDurably(isServed: false) { db in
            try db.run(
                """
                INSERT INTO request_day (host, day, requests) VALUES (?1, date('1970-01-01', ?2 || ' days'), ?3)
                ON CONFLICT (host, day) DO UPDATE SET requests = excluded.requests
                """, [host, day, requests])
            try db.run(
                "DELETE FROM request_day WHERE day < date('1970-01-01', ? || ' days', '-\(Self.storedDays) days')",
                [day])
        }
    }
}
