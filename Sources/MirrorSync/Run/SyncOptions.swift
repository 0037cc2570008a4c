import MirrorStore

/// What a person asked of a sync.
public struct SyncOptions: Sendable {
    /// Request every list and object on no condition and past all caches, and store what comes even under the ETag that is
    /// stored. Files that are stored are not downloaded again.
    public var full = false
    /// Fetch the bytes of pictures and documents.
    public var media = true
    /// Picture formats to keep; `nil` for `larger`, else the largest offered.
    public var formats: [String]?
    /// Ask for pictures again even if their entry did not change.
    public var revalidateMedia = false
    /// How much may be swept.
    public var maxDelete = DeleteGuard.Limit.standard
    /// A list with more members is refused.
    public var maxObjects = 5_000_000
    /// How long changes alone are trusted before the full lists are looked at again. Default 7 days.
    public var auditEvery: Duration = .seconds(7 * 86_400)
    /// Whether a server's digest may say that the full lists need not be looked at, where it has one.
    public var auditsByDigest = true
    /// Shows that ended longer ago than this are not kept; `nil`, the default, keeps them for ever.
    public var keepShows: Duration?
    /// The longest that a run waits for a server in trouble, the session's own waits included. Default 1 hour.
    public var maxWait: Duration = .seconds(3_600)
    /// A file of certificate authorities (PEM) that vouch for the server, remembered with it; `nil`, the default, for the one
    /// that is remembered. What makes the session's transport has to hand it over.
    public var caFile: String?
    /// Don't wait for a server in trouble: what failed has failed.
    public var failFast = false
    /// Requests under way at once, as far as the session's transport is made for it; pictures half as many.
    public var jobs = 16
    /// One worker, depth first, in declared order: for tests.
    public var synchronous = false

    /// A first catalogue of more URLs is taken in without some indexes, which are made when all is here.
    package var mostWithIndexes = 20_000

    public init() {}

    /// Four times the requests that may be under way at once: while so many wait for their answers, three times as many
    /// answers are read and stored. The transport's own limit is what the server sees.
    var requestLane: Int { jobs * 4 }
    /// Pictures and documents spend their time under way.
    var mediaLane: Int { max(1, jobs / 2) }

    /// What ``FinishRequest/formats`` and `list.clean_formats` hold: which media were wanted.
    var mediaKey: String? { media ? (formats?.sorted().joined(separator: ",") ?? "default") : nil }
}
