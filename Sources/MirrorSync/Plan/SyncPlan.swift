import Catalogue
import MirrorStore

/// The result of a dry run: the requests, bytes, duration and disk space of a sync, and how exact the numbers are.
public struct SyncPlan: Sendable {
    /// The free and the needed disk space.
    public struct Disk: Sendable, Hashable {
        /// Free bytes of the mirror's volume; `nil` if the system doesn't report them.
        public let free: Int64?
        /// Needed bytes, including a reserve.
        public let needed: Int64

        /// Whether there is enough disk space; `true` if the free space is unknown.
        public var isEnough: Bool { free.map { $0 >= needed } ?? true }
    }

    /// Whether the plan is exact: it knows for each listed object whether it changes, and which files will be fetched.
    ///
    /// It is `false` if a sync would request linked objects, which no list contains: a dry run doesn't request them.
    public var isExact = true
    /// Whether a sync would change anything, in the mirror or on the server.
    public var hasChanges = false
    /// Locations known to get other artworks; they don't count as updated.
    public var relocated = 0
    /// Files that were deleted from the mirror's folder and would be fetched again.
    public var lostFiles = 0
    /// Requests that a sync would send.
    public var requests = Estimate.zero
    /// Bytes that a sync would receive: JSON with response heads, and files.
    public var json = Estimate.zero, media = Estimate.zero
    /// The number of days that the sync takes because the source allows a limited number of requests a day. Default 1: there is
    /// no such limit, or the sync stays below it.
    public var days = 1
    /// The predicted duration.
    public var forecast = Forecast(median: 0, p90: 0)
    /// The free and the needed disk space.
    public var disk = Disk(free: nil, needed: 0)
    /// The intended deletions because of which the delete guard would stop the sweep; empty if it would not.
    public var guarded: [DeleteGuard.Intent] = []
    /// The number of deletions that the delete guard would prevent: objects of all kinds, and members of lists under them.
    public var guardedDeletions = 0
    /// The number of updates, by the names of the kinds for which it is sampled.
    public var updated: [String: Estimate] = [:]
    /// The number of files that would be fetched, by `image`, `document` and the kind of tiles.
    public var files: [String: Estimate] = [:]

    /// All bytes that a sync would receive.
    public var bytes: Estimate { json + media }

    var object: JSONObject {
        var object: JSONObject = [
            "exact": .bool(isExact), "changes": .bool(hasChanges), "requests": .integer(requests.rounded),
            "bytes": .object([
                "json": .integer(json.rounded), "media": .integer(media.rounded),
                "margin": .integer(bytes.roundedMargin),
            ]),
            "seconds": forecast.json,
            "disk": .object([
                "free": disk.free.map { .integer(Int($0)) } ?? .null, "needed": .integer(Int(disk.needed)),
                "enough": .bool(disk.isEnough),
            ]),
            "guard": .array(guarded.map(\.json)),
            "updated": .object(JSONObject(updated.map { ($0.key, $0.value.json) })),
            "files": .object(JSONObject(files.map { ($0.key, $0.value.json) })),
        ]
        if days > 1 { object["days"] = .integer(days) }
        return object
    }
}
