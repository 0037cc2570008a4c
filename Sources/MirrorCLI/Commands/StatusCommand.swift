import ArgumentParser
import Foundation
import MirrorStore
import MirrorSync

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say what is here, where it comes from, and how old it is.")

    @Argument(help: "A mirror. Default: all of them.")
    var partner: String?

    @Flag(help: "Tell all that went wrong in the last run, not only the first of it.")
    var errors = false

    @Flag(help: "Print it as OpenMetrics text, as mirror watch --metrics-port offers it.")
    var openmetrics = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        guard !openmetrics || !(json || errors) else {
            throw ValidationError("--openmetrics is a form of its own: leave --json and --errors out.")
        }
    }

    func run() async throws {
        try await output.printing { output in
            let home = self.home.mirrorHome, now = Date()
            let names = try partner.map { [$0] } ?? home.names()
            guard !names.isEmpty else { _ = try MirrorChoice(home: home).folder(nil); return }
            if openmetrics { return output.text(try MirrorMetrics(home: home, names: names, now: now).text) }
            var unread = 0
            for (index, name) in names.enumerated() {
                do {
                    let status = try MirrorStatus(home.mirror(name), withAllProblems: errors)
                    if json {
                        output.json(status.json(now: now))
                        if errors { for problem in status.problemLines { output.json(problem) } }
                    } else {
                        if index > 0 { output.line("") }
                        for line in status.lines(now: now) { output.line(line) }
                    }
                } catch let error as StoreError where partner == nil {
                    // One that can't be opened doesn't hide the others.
                    unread += 1
                    if json {
                        output.json([
                            "type": "problem", "what": "mirror", "id": .string(name),
                            "message": .string(error.message),
                        ])
                    } else {
                        Screen.standardError().line("mirror: \(error.message.printable)")
                    }
                }
            }
            if json {
                output.summary(
                    ("mirrors", names.count - unread), ("failed", unread),
                    outcome: unread > 0 ? "failed" : "complete")
            }
            if unread > 0 { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }

    private var json: Bool { output.json }
}
