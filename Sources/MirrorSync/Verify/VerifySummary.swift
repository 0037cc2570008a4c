import Catalogue
import MirrorStore

/// How a verification ended, in numbers.
public struct VerifySummary: Sendable {
    public enum Outcome: String, Sendable {
        /// Nothing is wrong.
        case complete
        /// Something was wrong, and is no more.
        case repaired
        /// Something is wrong.
        case findings
        case failed
        case cancelled
    }

    public let partner: String
    public var outcome = Outcome.complete
    public var checks = 0
    public var files = 0
    public var bytes: Int64 = 0
    public var filesRead = 0
    public var bytesRead: Int64 = 0
    /// How much was found, by what it is.
    public var found: [Finding.What: Int] = [:]
    /// What is still wrong after a repair, by what it is.
    public var remaining: [Finding.What: Int] = [:]
    public var isRepair = false
    /// Pictures and documents that are missing because the server doesn't have them: nothing is wrong with the mirror.
    public var unavailable = UnavailableFiles()
    /// Whether the last run that was to bring the mirror up to date was stopped by force: the next one goes on with it.
    public var isInterrupted = false
    /// Whether the mirror was made from a catalogue's files: what it lacks, an import brings.
    public var isCatalogue = false
    /// How the server was compared; `nil` if it wasn't.
    public var comparison: Comparison?
    /// The sync that fetched again what was broken.
    public var sync: SyncSummary?
    /// What could not be mended, and why.
    public var failure: String?
    public var cause: (any Error)?
    public var seconds: Double = 0

    /// A comparison with the server.
    public struct Comparison: Sendable, Hashable {
        /// Whether ETags were compared, so that it is exact for every object; else only ids were.
        public var isExact = false
        /// How many objects the server's lists name; by digest, how many URLs the mirror holds.
        public var objects = 0
        public var requests = 0
        /// Whether the server's digest told it, so that lists under objects and documents are compared too.
        public var isByDigest = false
        /// Whether the server's catalogue changed while it was compared.
        public var hasMoved = false
        /// Why lists were compared and not digests, as the beginning of a sentence.
        public var whyLists: String?
    }

    public var findings: Int { found.values.reduce(0, +) }
    public var remainingFindings: Int { remaining.values.reduce(0, +) }

    /// The last line of `--json`.
    public var json: JSONObject {
        func counts(_ counts: [Finding.What: Int]) -> JSONValue {
            .object(JSONObject(counts.map { ($0.key.rawValue, .integer($0.value)) }))
        }
        var object: JSONObject = [
            "type": "summary", "partner": .string(partner), "outcome": .string(outcome.rawValue),
            "checks": .integer(checks), "files": .integer(files), "bytes": .integer(Int(bytes)),
            "read": .object(["files": .integer(filesRead), "bytes": .integer(Int(bytesRead))]),
            "findings": .integer(findings), "found": counts(found), "unavailable": unavailable.json,
            "seconds": .decimal(seconds),
        ]
        if isInterrupted { object["interrupted"] = true }
        if isRepair { object["remaining"] = counts(remaining) }
        if let comparison {
            var remote: JSONObject = [
                "compared": .string(
                    comparison.isByDigest ? "digest" : comparison.isExact ? "etags" : "ids"),
                comparison.isByDigest ? "urls" : "objects": .integer(comparison.objects),
                "requests": .integer(comparison.requests), "moved": .bool(comparison.hasMoved),
            ]
            remote["reason"] = comparison.whyLists.map(JSONValue.string)
            object["remote"] = .object(remote)
        }
        object["sync"] = sync.map { .object($0.json) }
        object["error"] = failure.map(JSONValue.string)
        return object
    }
}
