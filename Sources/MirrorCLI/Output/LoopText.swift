import Catalogue
import MirrorStore
import PeriodicLoops

/// How a loop of a watch stands, in words.
enum LoopText {
    /// All states that a stored loop may have, in the order of how bad they are.
    static let states =
        [LoopRecord.enabled] + LoopHealth.State.allCases.filter { $0 != .well }.map(\.rawValue) + [
            LoopRecord.guarded, LoopRecord.over,
        ]

    static func word(_ state: String) -> String {
        switch state {
        case LoopRecord.enabled: "well"
        case LoopHealth.State.backingOff.rawValue: "tried again at growing intervals"
        case LoopHealth.State.resetting.rawValue: "fetching everything anew"
        case LoopHealth.State.quarantined.rawValue: "tried once a day"
        case LoopRecord.guarded: "stopped by the delete guard (mirror sync decides)"
        case LoopRecord.over: "over"
        default: state
        }
    }

    static func line(_ loop: LoopRecord) -> String {
        "\(loop.id.printable): \(word(loop.state).printable)"
            + (loop.message.map { ": \($0.printable)" } ?? "")
    }

    static func json(_ loop: LoopRecord) -> JSONObject {
        [
            "type": "loop", "id": .string(loop.id), "kind": .string(loop.kind), "state": .string(loop.state),
            "failures": .integer(loop.failures), "message": loop.message.map(JSONValue.string) ?? .null,
            "next_at": loop.nextAt.map(JSONValue.string) ?? .null,
        ]
    }
}
