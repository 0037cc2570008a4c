/// How far a sync is, ready to be shown: a row for each kind, and what was moved in all.
struct ProgressState: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        let label: String
        let count: Int
        /// `nil` until it is known how many there are: no total is shown that could still grow.
        let total: Int?
        let failed: Int
        /// An estimate of ``total`` while that is `nil`; it may change.
        var about: Int?
    }

    var rows: [Row] = []
    var requests = 0
    var bytes: Int64 = 0
    /// Bytes a second, smoothed.
    var rate: Double = 0
    /// Seconds since the sync began.
    var elapsed: Double = 0
    /// `nil` while nothing is known of it.
    var left: TimeLeft.Range?
    /// What is being fetched, for a terminal.
    var underWay: String?
    /// What the whole run waits for.
    var waiting: String?
}
