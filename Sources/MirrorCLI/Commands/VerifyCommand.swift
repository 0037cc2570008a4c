import ArgumentParser
import MirrorSync

struct VerifyCommand: AsyncParsableCommand, ResourceIntensiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Check the integrity of a mirror's database and files, compare it with its server, and repair it.",
        discussion: """
            Without options, nothing is requested from the server and nothing is written. The exit code is 1 if something is \
            wrong, and 0 after a successful repair. A damaged file that the server can't replace is kept in media/damaged. It is \
            reported each time until it is replaced or you delete it.
            """)

    @Argument(help: "The mirror's name. Default: the only mirror.")
    var partner: String?

    @Option(
        help: ArgumentHelp(
            "Also read this share of the files, such as 5%, or all, and compare their digests. Default: none.",
            valueName: "share"),
        transform: { try ReadShare($0).orInvalid("Give a share of the files such as 5%, or all.") })
    var readData: ReadShare = .none

    @Flag(help: "Also compare with the server: which objects it has, and in which versions.")
    var remote = false

    @Flag(
        help:
            "Repair the database, remove stray files, and download damaged files again. A damaged file is kept until it is replaced."
    )
    var repair = false

    @Option(help: "How to show progress: auto redraws it in place on a terminal, plain prints lines.")
    var progress = ProgressMode.auto

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var certificates: CertificateOptions
    @OptionGroup var secrets: SecretOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            let screen = Screen.standardError()
            let folder = try home.folder(partner)
            let report = VerifyReport(
                report: RunReport(results: results, screen: screen, isQuiet: quiet, folder: folder))
            let monitor = report.monitor
            let reporter = ProgressReporter(
                screen: screen, style: progress.style(isTerminal: screen.isTerminal, isQuiet: quiet),
                monitor: monitor, onUpdate: { results.output.flush() })
            var access = SyncOptions()
            access.caFile = certificates.path
            let composition = Composition(
                screen: screen, token: try await secrets.token(), options: access)
            var options = VerifyOptions()
            (options.readData, options.remote, options.repair) = (readData, remote, repair)
            let verify = { @Sendable [options] (composition: Composition, base: String?) in
                try await Verification(of: composition.sync(folder, from: base), options: options)
                    .run(monitor)
            }
            let summary = try await Interruption.cancelling(reportingTo: screen) {
                try await reporter.whileRunning {
                    guard remote || repair else { return try await verify(composition, nil) }
                    return try await composition.withServer(of: folder, from: nil, verify)
                }
            }
            try report.finish(summary)
        }
    }
}
