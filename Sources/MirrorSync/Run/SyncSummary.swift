import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// The result of a sync, import or restore: its outcome, counts and problems.
public struct SyncSummary: Sendable {
    /// How a run ended.
    public enum Outcome: String, Sendable {
        /// The mirror has everything that the server has.
        case complete
        /// An object, a list or a file failed; everything else was stored.
        case partial
        /// The delete guard stopped the sweep.
        case guarded
        /// An error ended the run.
        case failed
        /// The task was cancelled.
        case cancelled
    }

    /// The counts of one kind's objects, or of files.
    public struct Count: Sendable, Hashable {
        /// Objects in the lists.
        public var listed = 0
        /// Objects that were stored for the first time; files that were downloaded.
        public var created = 0
        /// Objects that changed.
        public var updated = 0
        /// Objects that did not change.
        public var unchanged = 0
        /// Objects that were deleted.
        public var deleted = 0
        /// Objects that could not be fetched or stored.
        public var failed = 0

        /// All counts zero.
        public static let zero = Count()

        var json: JSONValue {
            .object([
                "listed": .integer(listed), "created": .integer(created), "updated": .integer(updated),
                "unchanged": .integer(unchanged), "deleted": .integer(deleted), "failed": .integer(failed),
            ])
        }
    }

    /// The partner's slug.
    public let partner: String
    /// How the run ended.
    public var outcome: Outcome
    /// The names of the kinds that the run listed, if it walked a part of the tree (``SyncOptions/only``, or an app's tree);
    /// empty for the whole tree.
    public var only: [String] = []
    /// The base address of the mirror's server; `nil` for a run without a server.
    public var origin: String?
    /// The message of the error that ended a failed run.
    public var failure: String?
    /// The error that ended a failed run; the exit code depends on it.
    public var cause: (any Error)?
    /// When requests may continue, if the source allows no further ones for now (``SyncError/Code/paused``): the day's budget is
    /// used up, or the server blocks requests. `nil` for other runs.
    public var continuesAt: Date?
    /// How fast the description of the source allows requests; `nil` for a server with the Partner API.
    package var pace: RequestPace?
    /// The requests and bytes of the run.
    public var requests = SessionStatistics()
    /// Objects and lists that a list vouched for, so that no request was sent.
    public var vouched = 0
    /// Objects that are referred to, and that the server doesn't have or doesn't show. They are no failures. A plan doesn't
    /// include them, because only fetched objects refer to them.
    public var inaccessible = 0
    /// Pictures and documents that are missing because the server doesn't have them, according to this or an earlier run. They
    /// are no failures, and are requested again after a day.
    public var unavailable = UnavailableFiles()
    /// Objects that the lists of a described source contain, although its server didn't have them, according to this or an earlier
    /// run. They are no failures, and are requested again after a day.
    package var absent: [Kind: Int] = [:]
    /// Pictures without tiles although tiles are wanted: the server's fields describe no usable tiles, or too many.
    package var untiled = 0
    /// The counts by kind, in the API's singular names; also `image` and `document`.
    public var objects: [String: Count] = [:]
    /// The problems, at most 1,000.
    public var problems: [Problem] = []
    /// The number of problems that ``problems`` doesn't contain.
    public var furtherProblems = 0
    /// The deletions to which the delete guard objected.
    public var guarded: [DeleteGuard.Intent] = []
    /// All deletions that a guarded run would have made, of objects and of list members, including those without an objection.
    public var guardedDeletions = 0
    /// The duration in seconds: with the search index and the removal of old files, without the command of `--on-change`.
    public var seconds: Double = 0
    /// The estimate that was made when the lists were received; `nil` for a short run.
    public var forecast: RunEstimate?
    /// The plan of a dry run; `nil` for other runs.
    public var plan: SyncPlan?
    /// The run's number in the log.
    package var run: Int64?
    /// Kinds whose list an earlier run has read in part: changes in that part since then are found by the next sync.
    package var continuedLists: Set<Kind> = []
    /// Whether a watch can follow the feed of events from the beginning of this run.
    var hasCursor = false
    /// Why a refresh did not succeed.
    var obstacle: (any Error)?
    /// Kinds of which the feed is followed although their list failed.
    var abandonedKinds: Set<Kind> = []
    /// Failures that repeat, in this run and, for a refresh, in those before it.
    var failures = RepeatedFailures()
    /// The server's extensions of the plain API.
    var extensions: Set<String> = []
    /// How each kind was brought up to date.
    package var ways: [Kind: PullWay] = [:]
    /// Whether an audit was due, and compared the server's digest instead of the full list of at least one kind.
    package var isAuditedByDigest = false
    /// Locations whose artworks changed; they don't count as updated.
    public var relocated = 0
    /// Objects of which only a list under them changed, for reporting item by item.
    var updatedByList: [Kind: Set<String>] = [:]

    /// A summary with no counts.
    public init(partner: String, outcome: Outcome) {
        self.partner = partner
        self.outcome = outcome
    }

    /// The summary of a run that an error ended; its outcome is `cancelled` for a `CancellationError`, else `failed`.
    public init(partner: String, failure error: any Error) {
        self.init(partner: partner, outcome: error is CancellationError ? .cancelled : .failed)
        failure = "\(error)"
        cause = error
        for kind in Kinds.standard.all { objects[kind.name] = Count() }
    }

    /// Whether anything was created, updated or deleted, or has another location.
    public var hasChanges: Bool {
        relocated > 0 || objects.values.contains { $0.created + $0.updated + $0.deleted > 0 }
    }

    /// Whether anything was deleted. If the delete guard stopped the sweep, these are the deletions that the server reported.
    public var hasDeletions: Bool { objects.values.contains { $0.deleted > 0 } }

    /// The last line of the output with `--json`.
    public var json: JSONObject {
        var object: JSONObject = [
            "type": .string("summary"), "partner": .string(partner), "outcome": .string(outcome.rawValue),
            "requests": .object([
                "sent": .integer(requests.sent), "not_modified": .integer(requests.notModified),
                "from_cache": .integer(requests.fromCache), "vouched": .integer(vouched),
                "retried": .integer(requests.retried),
            ]),
            "concurrency": .integer(requests.concurrency),
            "bytes": .object([
                "received": .integer(requests.bytesReceived), "json": .integer(requests.jsonBytes),
                "media": .integer(requests.mediaBytes),
            ]),
            "objects": .object(JSONObject(objects.map { ($0.key, $0.value.json) })),
            "inaccessible": .integer(inaccessible), "unavailable": unavailable.json(with: absent),
            "problems": .integer(problems.count + furtherProblems),
            "seconds": .decimal(seconds),
        ]
        if !only.isEmpty { object["only"] = .array(only.map(JSONValue.string)) }
        if relocated > 0 { object["relocated"] = .integer(relocated) }
        if isAuditedByDigest { object["audit"] = "digest" }
        if !ways.isEmpty {
            object["ways"] = .object(JSONObject(ways.map { ($0.key.name, .string($0.value.text)) }))
        }
        if requests.waited > .zero { object["waited"] = .decimal(requests.waited / .seconds(1)) }
        object["origin"] = origin.map(JSONValue.string)
        object["forecast"] = forecast?.json
        object["error"] = failure.map(JSONValue.string)
        object["continues_at"] = continuesAt.map { .string(CatalogueStore.text(of: $0)) }
        if !guarded.isEmpty {
            object["guard"] = .array(guarded.map(\.json))
        }
        if let plan {
            object["dry_run"] = .bool(true)
            object["plan"] = .object(plan.object)
        }
        return object
    }
}

extension DeleteGuard.Intent {
    package var json: JSONValue {
        .object([
            "kind": .string(name), "held": .integer(stored), "listed": .integer(listed),
            "deletions": .integer(deletions),
        ])
    }
}

extension UnavailableFiles {
    /// The counts by kind.
    package var json: JSONValue {
        .object([
            "image": .integer(images), ImageTile.kind: .integer(tiles), "document": .integer(documents),
        ])
    }

    /// The counts of files, and those of objects, by kind.
    package func json(with objects: [Kind: Int]) -> JSONValue {
        var all = json.objectValue ?? [:]
        for (kind, count) in objects { all[kind.name] = .integer(count) }
        return .object(all)
    }
}

extension JSONValue {
    package static func integer(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }

    /// A number rounded to three decimals.
    package static func decimal(_ number: Double) -> JSONValue {
        .number(JSONNumber((number * 1_000).rounded() / 1_000) ?? JSONNumber(0))
    }
}

extension SyncSummary {
    /// Adds objects that a snapshot created: the change log has a single entry for all of them.
    mutating func add(created count: Int, _ kind: Kind) {
        guard var updated = objects[kind.name] else { return }
        updated.created += count
        updated.listed = max(updated.listed, updated.created)
        updated.unchanged = max(0, updated.unchanged - count)
        objects[kind.name] = updated
    }
}
