import Catalogue
import MirrorStore

/// What a sync would do: requests, bytes, time and room, and how sure that is.
public struct SyncPlan: Sendable {
    /// What the disk has, and what is needed with a reserve.
    public struct Disk: Sendable, Hashable {
        /// Bytes; `nil` where the system doesn't say.
        public let free: Int64?
        public let needed: Int64

        public var isEnough: Bool { free.map { $0 >= needed } ?? true }
    }

    /// Whether it is known of every object that the server lists what will become of it, and which files will be fetched. What is only referred to isn't asked
    /// for by a dry run: where some of that is here, and due to be asked for, this is `false`.
    public var isExact = true
    /// Whether a sync would change anything, here or on the server.
    public var hasChanges = false
    /// Locations that would have other artworks, as far as that is known; they don't count as updated.
    public var relocated = 0
    /// Files that were deleted here and would be fetched again.
    public var lostFiles = 0
    /// Requests that a sync would send.
    public var requests = Estimate.zero
    /// Bytes that a sync would receive.
    public var json = Estimate.zero, media = Estimate.zero
    public var forecast = Forecast(median: 0, p90: 0)
    public var disk = Disk(free: nil, needed: 0)
    /// What would make the delete guard stop the sweep.
    public var guarded: [DeleteGuard.Intent] = []
    /// How much would go if the guard let it: objects of all kinds, and members of lists under them.
    public var guardedDeletions = 0
    /// Kinds whose updates are no more than an estimate.
    public var updated: [String: Estimate] = [:]
    /// Pictures and documents that would be fetched.
    public var files: [String: Estimate] = [:]

    /// Bytes that would be received in all.
    public var bytes: Estimate { json + media }

    var object: JSONObject {
        [
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
    }
}
