import ArgumentParser
import Catalogue
import MirrorStore

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Make mirror watch start nothing new for a partner until mirror resume.",
        discussion: """
            A running mirror watch notices the pause within its interval. It finishes what it is doing, then starts no sync \
            and requests no events. A watch that is started later waits as well. All other commands, such as mirror sync, are \
            not affected.
            """)

    @Argument(help: "The mirror's name.")
    var partner: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            try home.folder(partner).withStore(readOnly: false, folding: false) { store in
                let isChanged = try store.pauseWatch(), since = try store.pausedAt
                results.add(
                    PauseText.object(partner, since: since),
                    isChanged
                        ? "\(partner) is paused: mirror watch starts nothing new for it. End the pause with: mirror resume \(partner)"
                        : "\(partner) is already paused. End the pause with: mirror resume \(partner)")
                results.summary(("changed", isChanged ? 1 : 0))
            }
        }
    }
}

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Make mirror watch continue with a partner after mirror pause.",
        discussion:
            "A running mirror watch continues within its interval. This command does not start a watch.")

    @Argument(help: "The mirror's name.")
    var partner: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            try home.folder(partner).withStore(readOnly: false, folding: false) { store in
                let isChanged = try store.resumeWatch()
                results.add(
                    PauseText.object(partner, since: nil),
                    isChanged ? "\(partner) is no longer paused." : "\(partner) was not paused.")
                results.summary(("changed", isChanged ? 1 : 0))
            }
        }
    }
}

/// The JSON objects that `pause`, `resume` and `watch` print for a pause.
enum PauseText {
    /// - Parameter since: `nil` for a mirror that is not paused.
    static func object(_ partner: String, since: String?) -> JSONObject {
        var object: JSONObject = ["type": .string(since == nil ? "resumed" : "paused")]
        object["partner"] = .string(partner)
        object["since"] = since.map(JSONValue.string)
        return object
    }
}
