import GRDB

/// Requests to a host that are counted, and may be sent.
package struct RequestReservation: Sendable, Hashable {
    package let host: String
    /// The UTC day to which they count, such as `2026-01-31`.
    package let day: String
    /// Their number; 0 if the day's limit is reached.
    package let count: Int
}

/// Counts the requests to each host on each UTC day, in the table `request_day`, for catalogues with a limit for each day.
///
/// Requests are counted before they are sent. So a killed run, or several processes at the same time, never send more than the
/// limit; a killed run may send fewer.
extension CatalogueStore {
    /// For how long the counts are stored. A clock that was set back by less than this doesn't allow more requests.
    private static let storedDays = 7

    /// The number of requests to a host that are counted on the current UTC day.
    package func requestCount(of host: String) throws -> Int {
        let day = self.day
        return try read {
            try $0.number("SELECT requests FROM request_day WHERE host = ? AND day = ?", [host, day]) ?? 0
        }
    }

    /// Counts requests to a host, before they are sent, so that the count survives a power failure.
    ///
    /// Because it waits for the disk, reserve several requests at a time. Return those that weren't sent
    /// (``returnRequests(_:)``).
    ///
    /// - Parameters:
    ///   - wanted: the number of requests.
    ///   - limit: the maximum number of requests to the host on a day.
    /// - Returns: the reserved requests: as many as wanted, or those that remain of the limit.
    package func reserveRequests(_ wanted: Int, to host: String, limit: Int) throws -> RequestReservation {
        let day = self.day
        return try writeDurably(isServed: false) { db in
            let sent = try db.number(
                "SELECT requests FROM request_day WHERE host = ? AND day = ?", [host, day])
            let count = max(0, min(wanted, limit - (sent ?? 0)))
            guard count > 0 else { return RequestReservation(host: host, day: day, count: 0) }
            try db.run(
                """
                INSERT INTO request_day (host, day, requests) VALUES (?, ?, ?)
                ON CONFLICT (host, day) DO UPDATE SET requests = requests + excluded.requests
                """, [host, day, count])
            if sent == nil {
                try db.run(
                    "DELETE FROM request_day WHERE day < date(?, '-\(Self.storedDays) days')", [day])
            }
            return RequestReservation(host: host, day: day, count: count)
        }
    }

    /// Subtracts reserved requests that weren't sent from their day's count.
    ///
    /// - Parameter unsent: a part of a reservation. Return each request once.
    package func returnRequests(_ unsent: RequestReservation) throws {
        guard unsent.count > 0 else { return }
        try write(isServed: false) {
            try $0.run(
                "UPDATE request_day SET requests = max(0, requests - ?) WHERE host = ? AND day = ?",
                [unsent.count, unsent.host, unsent.day])
        }
    }

    /// The current UTC day, such as `2026-01-31`.
    private var day: String { String(timestamp().prefix(10)) }
}
