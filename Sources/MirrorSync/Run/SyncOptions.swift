import MirrorStore

/// What a person asked of a sync.
public struct SyncOptions: Sendable {
    /// Revalidate everything: nothing is vouched for, nothing is taken as fresh.
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
    /// Requests at once; pictures half as many.
    public var jobs = 16
    /// One worker, depth first, in declared order: for tests.
    public var synchronous = false

    public init() {}

    /// What ``FinishRequest/formats`` and `list.clean_formats` hold: which media were wanted.
    var mediaKey: String? { media ? (formats?.joined(separator: ",") ?? "default") : nil }
}
