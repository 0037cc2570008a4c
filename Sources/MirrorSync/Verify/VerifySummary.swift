import Catalogue
import MirrorStore

/// The result of a verification.
public struct VerifySummary: Sendable {
    /// How a verification ended.
    public enum Outcome: String, Sendable {
        /// There are no findings.
        case complete
        /// There were findings, and all were repaired.
        case repaired
        /// There are findings.
        case findings
        /// An error ended the verification.
        case failed
        /// The verification was cancelled.
        case cancelled
    }

    /// The partner whose mirror was checked.
    public let partner: String
    /// How the verification ended.
    public var outcome = Outcome.complete
    /// The number of checks of the database.
    public var checks = 0
    /// The number of stored files.
    public var files = 0
    /// The expected bytes of all stored files.
    public var bytes: Int64 = 0
    /// The number of files that were read to their end.
    public var filesRead = 0
    /// The bytes of the files that were read to their end.
    public var bytesRead: Int64 = 0
    /// The number of findings, by sort.
    public var found: [Finding.What: Int] = [:]
    /// The number of findings that remain after a repair, by sort.
    public var remaining: [Finding.What: Int] = [:]
    /// Whether a repair was requested.
    public var isRepair = false
    /// Pictures and documents that are missing because the server doesn't have them; these are no findings.
    public var unavailable = UnavailableFiles()
    /// Objects that the lists of a described source contain, although its server doesn't have them; these are no findings.
    package var absent: [Kind: Int] = [:]
    /// Whether the last run that updates the mirror was interrupted; the next run continues it.
    public var isInterrupted = false
    /// Whether the mirror was imported from a catalogue's files, so that missing contents have to be imported again.
    public var isCatalogue = false
    /// The comparison with the server; `nil` if there was none.
    public var comparison: Comparison?
    /// The sync that completed a repair; `nil` if there was none.
    public var sync: SyncSummary?
    /// What could not be checked or repaired, and why.
    public var failure: String?
    /// The error behind ``failure``.
    public var cause: (any Error)?
    /// The duration in seconds.
    public var seconds: Double = 0

    /// The result of a comparison with the server.
    public struct Comparison: Sendable, Hashable {
        /// Whether ETags were compared, so that it is exact for every object; otherwise only ids were compared.
        public var isExact = false
        /// The number of objects in the server's lists; with a digest, the number of URLs in the mirror.
        public var objects = 0
        /// The number of requests that were sent.
        public var requests = 0
        /// Whether digests were compared, so that it includes lists under objects and documents.
        public var isByDigest = false
        /// Whether the server's catalogue changed during the comparison.
        public var changedMeanwhile = false
        /// The reason why lists were compared instead of digests, as the beginning of a sentence; `nil` if there is none.
        public var reasonForLists: String?
    }

    /// The number of all findings.
    public var findings: Int { found.values.reduce(0, +) }
    /// The number of all findings that remain after a repair.
    public var remainingFindings: Int { remaining.values.reduce(0, +) }

    /// The last line of `mirror verify --json`.
    public var json: JSONObject {
        func counts(_ counts: [Finding.What: Int]) -> JSONValue {
            .object(JSONObject(counts.map { ($0.key.rawValue, .integer($0.value)) }))
        }
        var object: JSONObject = [
            "type": "summary", "partner": .string(partner), "outcome": .string(outcome.rawValue),
            "checks": .integer(checks), "files": .integer(files), "bytes": .integer(Int(bytes)),
            "read": .object(["files": .integer(filesRead), "bytes": .integer(Int(bytesRead))]),
            "findings": .integer(findings), "found": counts(found),
            "unavailable": unavailable.json(with: absent),
            "seconds": .decimal(seconds),
        ]
        if isInterrupted { object["interrupted"] = true }
        if isRepair { object["remaining"] = counts(remaining) }
        if let comparison {
            var remote: JSONObject = [
                "compared": .string(
                    comparison.isByDigest ? "digest" : comparison.isExact ? "etags" : "ids"),
                comparison.isByDigest ? "urls" : "objects": .integer(comparison.objects),
                "requests": .integer(comparison.requests), "moved": .bool(comparison.changedMeanwhile),
            ]
            remote["reason"] = comparison.reasonForLists.map(JSONValue.string)
            object["remote"] = .object(remote)
        }
        object["sync"] = sync.map { .object($0.json) }
        object["error"] = failure.map(JSONValue.string)
        return object
    }
}
