import Catalogue
import MirrorHTTP
import MirrorStore

/// How a sync or import ended, in numbers.
public struct SyncSummary: Sendable {
    public enum Outcome: String, Sendable {
        /// Everything the server has is here.
        case complete
        /// An object, a list or a file failed; the rest was done.
        case partial
        /// The delete guard stopped the sweep.
        case guarded
        case failed
        case cancelled
    }

    /// Objects of one kind.
    public struct Count: Sendable, Hashable {
        public var listed = 0
        public var created = 0
        public var updated = 0
        public var unchanged = 0
        public var deleted = 0
        public var failed = 0

        public static let zero = Count()

        var json: JSONValue {
            .object([
                "listed": .integer(listed), "created": .integer(created), "updated": .integer(updated),
                "unchanged": .integer(unchanged), "deleted": .integer(deleted), "failed": .integer(failed),
            ])
        }
    }

    public let partner: String
    public var outcome: Outcome
    /// The kinds that the run listed, by name, if its tree left something out (``SyncOptions/only``, or an app's own tree); empty for
    /// the whole tree.
    public var only: [String] = []
    public var origin: String?
    /// What ended a failed run, in a sentence.
    public var failure: String?
    /// What ended a failed run, for choosing an exit code.
    public var cause: (any Error)?
    public var requests = SessionStatistics()
    /// Objects and lists that a list vouched for, so that no request was made.
    public var vouched = 0
    /// Objects that are referred to, and that the server, asked for them, didn't have or didn't show: no failure, and in
    /// no plan, since only what is fetched refers to them.
    public var inaccessible = 0
    /// Pictures and documents that are missing because the server doesn't have them, from this run or an earlier one: no
    /// failure. They are requested again after a day.
    public var unavailable = UnavailableFiles()
    /// Pictures whose tiles are wanted and that get none, since the server's fields make too many, or none.
    package var untiled = 0
    /// By kind, in the API's singular names; also `image` and `document`.
    public var objects: [String: Count] = [:]
    public var problems: [Problem] = []
    /// Problems beyond those that are listed.
    public var furtherProblems = 0
    /// What made the guard stop the sweep.
    public var guarded: [DeleteGuard.Intent] = []
    /// What would have gone in all, objects and members of lists, also of what the guard did not object to.
    public var guardedDeletions = 0
    /// How long it took, with the search index and old files behind the tree, and without the command given with `--on-change`.
    public var seconds: Double = 0
    /// What the run expected to take when its lists had come; `nil` where there was little to do.
    public var forecast: RunEstimate?
    /// What a sync would do, if this was a dry run.
    public var plan: SyncPlan?
    /// Its number in the log.
    package var run: Int64?
    /// Whether it ended so that the feed of events is followed from where it began.
    var hasCursor = false
    /// What keeps a refresh from having been one.
    var obstacle: (any Error)?
    /// Kinds of which the feed is followed though their list did not come.
    var lacking: Set<Kind> = []
    /// What failed alike, in this run and, for a refresh, in those before it.
    var failures = RepeatedFailures()
    /// What the server offers.
    var extensions: Set<String> = []
    /// How each kind was brought up to date.
    package var ways: [Kind: PullWay] = [:]
    /// Whether an audit was due and the server's digest took the place of its full lists, for one kind at least.
    package var isAuditedByDigest = false
    /// Locations that were here and have other artworks now; they don't count as updated.
    public var relocated = 0
    /// Objects of which only a list under them changed, for reporting item by item.
    var updatedByList: [Kind: Set<String>] = [:]

    public init(partner: String, outcome: Outcome) {
        self.partner = partner
        self.outcome = outcome
    }

    /// The summary of a run that could not begin or go on.
    public init(partner: String, failure error: any Error) {
        self.init(partner: partner, outcome: error is CancellationError ? .cancelled : .failed)
        failure = "\(error)"
        cause = error
        for kind in Kinds.standard.all { objects[kind.name] = Count() }
    }

    /// Whether anything was created, updated or deleted, or is at another location.
    public var hasChanges: Bool {
        relocated > 0 || objects.values.contains { $0.created + $0.updated + $0.deleted > 0 }
    }

    /// Whether anything is gone: of a run that the delete guard stopped, what the server itself named as deleted.
    public var hasDeletions: Bool { objects.values.contains { $0.deleted > 0 } }

    /// The last line of `--json`.
    public var json: JSONObject {
        var object: JSONObject = [
            "type": .string("summary"), "partner": .string(partner), "outcome": .string(outcome.rawValue),
            "requests": .object([
                "sent": .integer(requests.sent), "not_modified": .integer(requests.notModified),
                "from_cache": .integer(requests.fromCache), "vouched": .integer(vouched),
                "retried": .integer(requests.retried),
            ]),
            "bytes": .object([
                "received": .integer(requests.bytesReceived), "json": .integer(requests.jsonBytes),
                "media": .integer(requests.mediaBytes),
            ]),
            "objects": .object(JSONObject(objects.map { ($0.key, $0.value.json) })),
            "inaccessible": .integer(inaccessible), "unavailable": unavailable.json,
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
            "kind": .string(name), "held": .integer(held), "listed": .integer(listed),
            "deletions": .integer(deletions),
        ])
    }
}

extension UnavailableFiles {
    /// By kind.
    package var json: JSONValue {
        .object([
            "image": .integer(images), ImageTile.kind: .integer(tiles), "document": .integer(documents),
        ])
    }
}

extension JSONValue {
    package static func integer(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }

    /// A number with three decimals at the most.
    package static func decimal(_ number: Double) -> JSONValue {
        .number(JSONNumber((number * 1_000).rounded() / 1_000) ?? JSONNumber(0))
    }
}

extension SyncSummary {
    /// Counts objects that a snapshot brought, which the change log has as one.
    mutating func add(created count: Int, _ kind: Kind) {
        guard var known = objects[kind.name] else { return }
        known.created += count
        known.listed = max(known.listed, known.created)
        known.unchanged = max(0, known.unchanged - count)
        objects[kind.name] = known
    }
}
