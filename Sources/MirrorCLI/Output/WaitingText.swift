import Catalogue
import Foundation
import MirrorSync

/// The text and JSON of a wait for the partner's server.
enum WaitingText {
    /// The text for progress, which counts down: `waiting 42 s for the partner's server, which is overloaded (503)`.
    ///
    /// `nil` for a throttled wait of less than a second, which would only flicker.
    static func progress(_ waiting: Waiting) -> String? {
        waiting.reason == .throttled && waiting.remaining < .seconds(1) ? nil : sentence(waiting)
    }

    /// The text for the log when a wait begins: with the request that failed, and the options that limit the wait.
    static func logLine(_ waiting: Waiting) -> String {
        guard let cause = waiting.cause else { return sentence(waiting) }
        return
            "\(sentence(waiting)): it \(cause.printable). --max-wait limits the waits, --fail-fast skips them"
    }

    static func sentence(_ waiting: Waiting) -> String {
        // Rounded up, so that it is never 0 during the wait.
        let seconds = max(1, (waiting.remaining / .seconds(1)).rounded(.up))
        let status = waiting.status.map { " (\($0))" } ?? ""
        let state =
            switch waiting.reason {
            case .failing: "reports a failure\(status)"
            case .overloaded: "is overloaded\(status)"
            case .unexpected: "gives an unexpected status\(status)"
            case .silent: "doesn't answer"
            case .throttled: "asks to slow down"
            case .blocked: "blocks requests"
            }
        return "waiting \(Wording.whole(seconds)) for the partner's server, which \(state)"
    }

    static func object(_ waiting: Waiting) -> JSONObject {
        JSONObject(known: [
            "type": "waiting", "reason": .string(waiting.reason.rawValue),
            "seconds": .decimal(waiting.remaining / .seconds(1)), "message": .string(logLine(waiting)),
            "status": waiting.status.map(JSONValue.integer),
        ])
    }
}
