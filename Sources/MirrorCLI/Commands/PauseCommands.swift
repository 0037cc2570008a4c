import ArgumentParser
import Catalogue
import MirrorStore

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Have mirror watch begin nothing for a partner, until mirror resume.",
        discussion: """
            A watch that runs sees it within its interval: feeds, syncs and what follows them wait; what it is doing goes on \
            to its end. One that starts later waits from its start. mirror sync and all other commands work as ever.
            """)

    @Argument(help: "The mirror.")
    var partner: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            try home.folder(partner).withStore(readOnly: false, folding: false) { store in
                let isNews = try store.pauseWatch(), since = try store.pausedAt
                results.add(
                    PauseText.object(partner, since: since),
                    isNews
                        ? "\(partner) is paused: mirror watch begins nothing for it until mirror resume \(partner)."
                        : "\(partner) is paused already. mirror resume \(partner) has mirror watch go on.")
                results.summary(("changed", isNews ? 1 : 0))
            }
        }
    }
}

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Have mirror watch go on with a partner after mirror pause.",
        discussion: "A watch that runs sees it within its interval; mirror resume starts none.")

    @Argument(help: "The mirror.")
    var partner: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            try home.folder(partner).withStore(readOnly: false, folding: false) { store in
                let isNews = try store.resumeWatch()
                results.add(
                    PauseText.object(partner, since: nil),
                    isNews ? "\(partner) is not paused any more." : "\(partner) was not paused.")
                results.summary(("changed", isNews ? 1 : 0))
            }
        }
    }
}

/// A pause in the output of `pause`, `resume` and `watch`.
enum PauseText {
    /// - Parameter since: `nil` for a mirror that is not paused.
    static func object(_ partner: String, since: String?) -> JSONObject {
        var object: JSONObject = ["type": .string(since == nil ? "resumed" : "paused")]
        object["partner"] = .string(partner)
        object["since"] = since.map(JSONValue.string)
        return object
    }
}
