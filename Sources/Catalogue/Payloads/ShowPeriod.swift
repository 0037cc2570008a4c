/// When a show is on: what decides whether it has a feed of its own, on both sides.
///
/// The dates decide, as they stay true by themselves. A day without a time lasts to its end (UTC). Without an end, the show
/// runs only if its status says so: many shows of long ago have none.
public struct ShowPeriod: Sendable, Hashable {
    private let start: Timestamp?
    /// The first moment at which it is over.
    private let end: Timestamp?
    private let saysRunning: Bool

    /// - Parameters:
    ///   - startAt: RFC 3339, or a day.
    ///   - endAt: the same.
    ///   - status: `running`, whatever its case, is what counts.
    public init(startAt: String?, endAt: String?, status: String?) {
        start = startAt.flatMap { Timestamp($0) }
        end = endAt.flatMap { text in
            Timestamp(text).map { text.utf8.count <= 10 ? Timestamp(seconds: $0.seconds + 86_400) : $0 }
        }
        saysRunning = status?.lowercased() == "running"
    }

    public init(_ show: Show) { self.init(startAt: show.startAt, endAt: show.endAt, status: show.status) }

    public func isRunning(at time: Timestamp) -> Bool {
        guard let end else { return saysRunning && start.map { $0 <= time } ?? true }
        guard time < end else { return false }
        return start.map { $0 <= time } ?? saysRunning
    }
}
