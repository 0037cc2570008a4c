import ArgumentParser
import MirrorSync

struct VerifyCommand: AsyncParsableCommand, HeavyWork {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Look whether a mirror is whole: its database, its files, and what its server has.",
        discussion: """
            Without options nothing is asked of the server and nothing is written. The exit code is 1 if something is \
            wrong, and 0 after a repair that worked. A damaged file that the server can't replace is kept in media/damaged, \
            and is reported each time, until it was replaced or you delete it.
            """)

    @Argument(help: "The mirror. Default: the only one there is.")
    var partner: String?

    @Option(
        help: ArgumentHelp(
            "Read a share of the files to their end, such as 5%, or all, and compare their digests. Default: none.",
            valueName: "share"),
        transform: { try ReadShare($0).orInvalid("Give a share such as 5%, or all.") })
    var readData: ReadShare = .none

    @Flag(help: "Compare with the server too: which objects it has, and in which versions.")
    var remote = false

    @Flag(
        help:
            "Remove strays, repair the database, and fetch again what is damaged. A damaged file stays until a better copy is here."
    )
    var repair = false

    @Option(help: "Show how far it is: in place, as lines, or not at all.")
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
                monitor: monitor, atEachLook: { results.output.flush() })
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
                    return try await composition.reachingServer(of: folder, from: nil, verify)
                }
            }
            try report.finish(summary)
        }
    }
}
