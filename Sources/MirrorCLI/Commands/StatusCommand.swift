import ArgumentParser
import Foundation
import MirrorStore

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what is stored, its origin and age, and what failed in the last run.")

    @Argument(help: "The mirror's name. Default: all mirrors.")
    var partner: String?

    @Flag(help: "Show all problems of the last run, not only the first ones.")
    var errors = false

    @Flag(help: "Print OpenMetrics text, as mirror watch --metrics-port serves it.")
    var openmetrics = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        guard !openmetrics || !(output.json || errors) else {
            throw ValidationError("--openmetrics can't be combined with --json or --errors. Leave those out.")
        }
    }

    func run() async throws {
        try await output.printing { results in
            let home = self.home.mirrorHome, now = Date()
            let names = try partner.map { [$0] } ?? home.names()
            guard !names.isEmpty else { _ = try self.home.folder(nil); return }
            if openmetrics {
                return results.lines(try MirrorMetrics(home: home, names: names, now: now).lines)
            }
            var unread = 0
            for (index, name) in names.enumerated() {
                do {
                    let status = try MirrorStatus(home.mirror(name), withAllProblems: errors, now: now)
                    results.add(
                        status.json(now: now), lines: (index > 0 ? [""] : []) + status.lines(now: now))
                    if errors { for problem in status.problemLines { results.add(problem, lines: []) } }
                } catch let error as StoreError where partner == nil {
                    // The other mirrors are still shown if one can't be opened.
                    unread += 1
                    results.add(
                        [
                            "type": "problem", "what": "mirror", "id": .string(name),
                            "message": .string(error.message),
                        ], lines: [])
                    if !results.isJSON {
                        Screen.standardError().line("mirror: \(error.message.printable)")
                    }
                }
            }
            results.summary(
                ("mirrors", names.count - unread), ("failed", unread),
                outcome: unread > 0 ? "failed" : "complete")
            if unread > 0 { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }
}
