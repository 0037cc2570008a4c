import MirrorHTTP
import MirrorStore

/// The numbers of requests that each host was sent on each day, in the mirror's database.
struct RequestDays: Sendable {
    let database: CatalogueStore

    init(_ database: CatalogueStore) { self.database = database }

    /// The number that was stored last; `nil` if none was stored.
    func restore(_ host: Origin) throws -> RequestBudget.DayCount? {
        try database.requestDay(of: host.text).map {
            RequestBudget.DayCount(day: $0.day, requests: $0.requests)
        }
    }

    /// Stores a number, so that it survives a power failure. Does nothing if the database may only be read.
    func store(_ host: Origin, _ count: RequestBudget.DayCount) throws {
        guard !database.isReadOnly else { return }
        try database.setRequests(count.requests, to: host.text, onDay: count.day)
    }
}
