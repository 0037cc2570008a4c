/// What the shared flow has to know of a page of events; what is in it is between the loop's `poll` and `process`.
public protocol EventsPage: Sendable {
    /// What must be fetched afresh before events are of use; empty for an ordinary page.
    var refresh: RefreshMask { get }
    /// Whether there is another page, to be asked for at once.
    var hasMore: Bool { get }
}
