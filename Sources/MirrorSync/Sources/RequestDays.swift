import MirrorHTTP
import MirrorStore

/// The numbers of requests that each host was sent on each day, in the mirror's database.
struct RequestDays: Sendable {
    private let database: CatalogueStore
    /// The mirror, if ``database`` is a copy for a dry run.
    private let folder: MirrorFolder?

    init(_ database: CatalogueStore) { (self.database, folder) = (database, nil) }

    /// The numbers of a dry run, which writes nothing else to the mirror. Without a mirror they are not stored.
    init(planning database: CatalogueStore, _ folder: MirrorFolder) {
        (self.database, self.folder) = (database, folder)
    }

    /// The number that was stored last; `nil` if none was stored.
    func restore(_ host: Origin) throws -> RequestBudget.DayCount? {
        try database.requestDay(of: host.text).map { RequestBudget.DayCount(day: $0.day, requests: $0.requests) }
    }

    /// Stores a number, so that it survives a power failure.
    func store(_ host: Origin, _ count: RequestBudget.DayCount) throws {
        guard let folder else { return try database.setRequests(count.requests, to: host.text, onDay: count.day) }
        guard folder.exists else { return }
        let mirror = try folder.store()
        defer { try? mirror.close() }
        try mirror.setRequests(count.requests, to: host.text, onDay: count.day)
    }
}
