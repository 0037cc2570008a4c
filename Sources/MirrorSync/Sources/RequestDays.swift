import MirrorHTTP
import MirrorStore

/// The numbers of requests that each host was sent on each day, in the mirror's database.
struct RequestDays: Sendable {
    private let database: CatalogueStore
    /// Whether numbers are stored.
    private let isStored: Bool

    init(_ database: CatalogueStore) { (self.database, isStored) = (database, true) }

    /// The numbers of a dry run, which writes nothing. Its requests are limited by what is left of the day, but aren't counted.
    init(planning database: CatalogueStore) { (self.database, isStored) = (database, false) }

    /// The number that was stored last; `nil` if none was stored.
    func restore(_ host: Origin) throws -> RequestBudget.DayCount? {
        try database.requestDay(of: host.text).map {
            RequestBudget.DayCount(day: $0.day, requests: $0.requests)
        }
    }

    /// Stores a number, so that it survives a power failure.
    func store(_ host: Origin, _ count: RequestBudget.DayCount) throws {
        guard isStored else { return }
        try database.setRequests(count.requests, to: host.text, onDay: count.day)
    }
}
