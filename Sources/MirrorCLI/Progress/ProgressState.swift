/// How far a sync is, ready to be shown: a row for each kind, and what was moved in all.
struct ProgressState: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        let label: String
        let count: Int
        /// `nil` until it is known how many there are: no total is shown that could still grow.
        let total: Int?
        let failed: Int
    }

    var rows: [Row] = []
    var requests = 0
    var bytes: Int64 = 0
    /// Bytes a second, smoothed.
    var rate: Double = 0
    /// Seconds since the sync began.
    var elapsed: Double = 0
}
