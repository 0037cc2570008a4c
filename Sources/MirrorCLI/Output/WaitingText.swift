import Catalogue
import Foundation
import MirrorSync

/// A wait for the partner's server, in words and as JSON.
enum WaitingText {
    /// For progress, counting down: `waiting 42 s for the partner's server, which is overloaded (503)`.
    ///
    /// `nil` for what is all but over: it would only flicker.
    static func progress(_ waiting: Waiting) -> String? {
        waiting.reason == .throttled && waiting.left < .seconds(1) ? nil : sentence(waiting)
    }

    /// For the log, when a wait begins: with the request that failed, and what a person can do about the wait.
    static func begun(_ waiting: Waiting) -> String {
        guard let cause = waiting.cause else { return sentence(waiting) }
        return
            "\(sentence(waiting)): it \(cause.printable). --max-wait limits the waits, --fail-fast skips them"
    }

    static func sentence(_ waiting: Waiting) -> String {
        // Whole seconds, rounded up: never 0 while it still waits.
        let seconds = max(1, (waiting.left / .seconds(1)).rounded(.up))
        let status = waiting.status.map { " (\($0))" } ?? ""
        let state =
            switch waiting.reason {
            case .trouble: "is in trouble\(status)"
            case .overloaded: "is overloaded\(status)"
            case .unexpected: "doesn't say how it is\(status)"
            case .silent: "doesn't answer"
            case .throttled: "asks to slow down"
            }
        return "waiting \(Wording.whole(seconds)) for the partner's server, which \(state)"
    }

    static func object(_ waiting: Waiting) -> JSONObject {
        JSONObject(known: [
            "type": "waiting", "reason": .string(waiting.reason.rawValue),
            "seconds": .decimal(waiting.left / .seconds(1)), "message": .string(begun(waiting)),
            "status": waiting.status.map(JSONValue.integer),
        ])
    }
}
