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

    @Flag(help: "Say what a sync would do, and write nothing.")
    var dryRun = false

    @Flag(help: "With --dry-run: end with exit code 2 if there are changes to make, 0 if there are none.")
    var exitCode = false

    @OptionGroup var choices: SyncChoices
    @OptionGroup var certificates: CertificateOptions
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
        try TextCheck.partner(partner)
        try from.map { try TextCheck.server($0, of: partner) }
        guard !exitCode || dryRun else {
            throw ValidationError("--exit-code says what a dry run found: add --dry-run, or leave it out.")
        }
        guard onChange == nil || !dryRun else {
            throw ValidationError(
                "--dry-run changes nothing, so --on-change has nothing to do: leave one out.")
        }
    }

    func run() async throws {
        try await output.printing(partner: partner) { output in
            let screen = Screen.standardError()
            let folder = try home.mirrorHome.mirror(partner)
            let from = try from ?? CredentialsFile.addressOfFirstSync(folder)
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
                            return try await perform(sync(folder, from: from, token: token, screen), monitor)
                        }
                        return try await DemoServer().whileRunning { base in
                            try await perform(sync(folder, from: base, token: nil, screen), monitor)
                        }
                    }
                })
            guard dryRun else { return try report.finish(summary) }
            try PlanRun(report: report, hasExitCode: exitCode).finish(summary)
        }
    }

    private func perform(_ sync: Sync, _ monitor: SyncMonitor) async throws -> SyncSummary {
        try await dryRun ? sync.plan(monitor) : sync.run(monitor)
    }

    private func sync(_ folder: MirrorFolder, from base: String?, token: String?, _ screen: Screen) -> Sync {
        let composition = Composition(screen: screen), certificates = certificates, newOrigin = newOrigin
        var options = choices.options
        options.caFile = certificates.path
        return Sync(
            partner: partner, folder: folder, base: base, isNewOrigin: newOrigin, options: options,
            onChange: onChange.map(OnChangeCommand.init), keepAwake: .system, logger: composition.logger,
            makeSession: composition.session(
                jobs: choices.jobs,
                authorities: {
                    try certificates.authorities(for: folder, address: base, isNewOrigin: newOrigin)
                }
            ) { base in
                try token.map(Credentials.token) ?? CredentialsFile(folder).credentials(for: base)
            })
    }
}
