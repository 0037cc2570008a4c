import Catalogue
import Foundation
import MirrorStore

/// Which shows have a loop of their own, read off what is stored; never from an answer directly.
///
/// | show | loop |
/// |---|---|
/// | is running (``ShowPeriod``) | is asked |
/// | is running, but its feed was over | isn't, until the show's JSON changes |
/// | is not running, or not here | isn't; what was known of it is forgotten |
struct ShowRoster: Sendable, Hashable {
    /// The loops that are to be asked.
    let loops: [String]

    init(_ feeds: [ShowFeed], at time: Timestamp) {
        loops = feeds.filter { feed in
            let period = ShowPeriod(startAt: feed.startAt, endAt: feed.endAt, status: feed.status)
            return period.isRunning(at: time) && !Self.isOver(feed)
        }.map { LoopRecord.showID($0.show) }
    }

    private static func isOver(_ feed: ShowFeed) -> Bool {
        guard feed.state == LoopRecord.over, let health = feed.health,
            case .object(let object)? = try? JSONValue(parsing: health)
        else { return false }
        return object["version"]?.stringValue == feed.version
    }

    /// What is stored of a feed that is over, for this version of its show.
    static func over(_ id: String, version: String?, message: String) -> LoopRecord {
        var object: JSONObject = [:]
        object["version"] = version.map(JSONValue.string)
        return LoopRecord(
            id: id, kind: .show, state: LoopRecord.over, message: message, health: object.canonicalText)
    }
}
