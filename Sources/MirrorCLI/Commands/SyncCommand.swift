import ArgumentParser
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Make a mirror of a partner's catalogue, or bring it up to date.",
        discussion: """
            The first sync names the server (--from); it is remembered. The partner "demo" is built in: its catalogue is \
            served within this process, over real HTTP, and needs no server.

            An access token comes from --token-file, --token-command, MIRROR_TOKEN or mirror login.
            """)

    @Argument(help: "The partner: its id, or the slug under which the server knows it.")
    var partner: String

    @Option(help: ArgumentHelp("The server: /api/v1 is added where it is missing.", valueName: "url"))
    var from: String?

    @Flag(help: "Let --from name another host than before; nothing is removed that time.")
    var newOrigin = false

    @OptionGroup var choices: SyncChoices
    @OptionGroup var secrets: SecretOptions

    @Option(help: "Show how far it is: in place, as the tree, as lines, or not at all.")
    var progress = ProgressMode.auto

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @Option(
        help: ArgumentHelp(
            "Run this when anything changed; it gets the summary as JSON on its standard input.",
            valueName: "command"))
    var onChange: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        guard MirrorHome.isValid(partner) else {
            throw ValidationError(
                "A partner's name has 1 to 128 letters, digits, dots, underscores or hyphens, and begins with a letter or digit."
            )
        }
    }

    func run() async throws {
        try await output.printing(partner: partner) { output in
            let screen = Screen.standardError()
            let folder = try home.mirrorHome.mirror(partner)
            let report = RunReport(
                output: output, screen: screen, json: self.output.json, isQuiet: quiet, folder: folder)
            let monitor = report.monitor
            let reporter = ProgressReporter(
                screen: screen, style: progress.style(isTerminal: screen.isTerminal, isQuiet: quiet),
                monitor: monitor, atEachLook: { output.flush() })
            let token = try await secrets.token(environment: ProcessInfo.processInfo.environment)
            let summary = try await Interruption.cancelling(
                notice: { screen.line("mirror: stopping; what is done stays. Once more stops at once.") },
                {
                    try await reporter.whileRunning {
                        guard try DemoServer.isMeant(partner: partner, from: from, folder: folder) else {
                            return try await sync(folder, from: from, token: token, screen).run(monitor)
                        }
                        return try await DemoServer().whileRunning { base in
                            try await sync(folder, from: base, token: nil, screen).run(monitor)
                        }
                    }
                })
            try report.finish(summary)
        }
    }

    private func sync(_ folder: MirrorFolder, from base: String?, token: String?, _ screen: Screen) -> Sync {
        let composition = Composition(screen: screen)
        return Sync(
            partner: partner, folder: folder, base: base, isNewOrigin: newOrigin, options: choices.options,
            onChange: onChange.map(OnChangeCommand.init), keepAwake: .system, logger: composition.logger,
            makeSession: composition.session(jobs: choices.jobs) { base in
                try token.map(Credentials.token) ?? CredentialsFile(folder).credentials(for: base)
            })
    }
}
