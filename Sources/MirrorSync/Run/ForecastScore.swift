import MirrorStore
import PartnerAPI

/// How good the forecast of a run was: what it took, as a share of what was foretold.
public struct ForecastScore: Sendable, Hashable {
    /// Time; `nil` where none was foretold.
    public let seconds: Double?
    /// Whether it took no longer than was foretold for nine times in ten; `nil` with ``seconds``.
    public let isWithinP90: Bool?
    public let bytes: Double?
    public let requests: Double?

    public init(seconds: Double?, isWithinP90: Bool?, bytes: Double?, requests: Double?) {
        self.seconds = seconds
        self.isWithinP90 = isWithinP90
        self.bytes = bytes
        self.requests = requests
    }

    /// Reads a run's summary as it was logged; `nil` for one that foretold nothing.
    public init?(_ summary: JSONObject) {
        guard let foretold = summary["forecast"]?.objectValue else { return nil }
        let took = summary["seconds"]?.numberValue?.doubleValue
        let times = foretold["seconds"]?.objectValue
        let p90 = times?["p90"]?.numberValue?.doubleValue
        seconds = Self.share(took, times?["median"]?.numberValue?.doubleValue)
        isWithinP90 = if let took, let p90 { took <= p90 } else { nil }
        bytes = Self.share(
            summary["bytes"]?.objectValue?["received"]?.numberValue?.doubleValue,
            foretold["bytes"]?.numberValue?.doubleValue)
        requests = Self.share(
            summary["requests"]?.objectValue?["sent"]?.numberValue?.doubleValue,
            foretold["requests"]?.numberValue?.doubleValue)
    }

    private static func share(_ took: Double?, _ foretold: Double?) -> Double? {
        guard let took, let foretold, foretold > 0 else { return nil }
        return took / foretold
    }

    /// Of the last complete syncs that foretold something, the newest first; at most `limit`.
    package static func last(_ limit: Int, in store: CatalogueStore) throws -> [ForecastScore] {
        let scores = try store.pastSummaries(command: "sync", limit: 20).compactMap { text in
            if case .object(let object) = try? JSONValue(parsing: text) { ForecastScore(object) } else { nil }
        }
        return Array(scores.prefix(limit))
    }

    /// By how much the furthest of these is off, upwards or downwards; `nil` for none.
    public static func largestError(_ shares: [Double]) -> Double? {
        shares.map { abs($0 - 1) }.max()
    }

    public var json: JSONValue {
        var object: JSONObject = [:]
        object["seconds"] = seconds.map(JSONValue.decimal)
        object["within_p90"] = isWithinP90.map(JSONValue.bool)
        object["bytes"] = bytes.map(JSONValue.decimal)
        object["requests"] = requests.map(JSONValue.decimal)
        return .object(object)
    }
}
