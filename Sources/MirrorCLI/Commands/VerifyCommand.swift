import ArgumentParser
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync

struct VerifyCommand: AsyncParsableCommand {
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
        transform: VerifyCommand.share)
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

    static func share(_ text: String) throws -> ReadShare {
        guard let share = ReadShare(text) else { throw ValidationError("Give a share such as 5%, or all.") }
        return share
    }

    func run() async throws {
        try await output.printing { output in
            let screen = Screen.standardError()
            let folder = try MirrorChoice(home: home.mirrorHome).folder(partner)
            let report = VerifyReport(
                output: output, screen: screen, json: self.output.json, isQuiet: quiet, folder: folder)
            let monitor = report.monitor
            let reporter = ProgressReporter(
                screen: screen, style: progress.style(isTerminal: screen.isTerminal, isQuiet: quiet),
                monitor: monitor, atEachLook: { output.flush() })
            let token = try await secrets.token(environment: ProcessInfo.processInfo.environment)
            let summary = try await Interruption.cancelling(
                notice: { screen.line("mirror: stopping; what is done stays. Once more stops at once.") },
                { try await reporter.whileRunning { try await verify(folder, token, screen, monitor) } })
            try report.finish(summary)
        }
    }

    private func verify(
        _ folder: MirrorFolder, _ token: String?, _ screen: Screen, _ monitor: VerifyMonitor
    ) async throws -> VerifySummary {
        var options = VerifyOptions()
        (options.readData, options.remote, options.repair) = (readData, remote, repair)
        guard try (remote || repair) && DemoServer.isMeant(partner: folder.name, from: nil, folder: folder)
        else {
            return try await Verification(of: sync(folder, nil, token, screen), options: options).run(monitor)
        }
        return try await DemoServer().whileRunning { [options] base in
            try await Verification(of: sync(folder, base, nil, screen), options: options).run(monitor)
        }
    }

    /// The sync that the mirror would be brought up to date by.
    private func sync(_ folder: MirrorFolder, _ base: String?, _ token: String?, _ screen: Screen) -> Sync {
        let composition = Composition(screen: screen), certificates = certificates
        var options = SyncOptions()
        options.caFile = certificates.path
        return Sync(
            partner: folder.name, folder: folder, base: base, options: options, keepAwake: .system,
            logger: composition.logger,
            makeSession: composition.session(
                jobs: options.jobs, authorities: { try certificates.authorities(for: folder) }
            ) { base in
                try token.map(Credentials.token) ?? CredentialsFile(folder).credentials(for: base)
            })
    }
}
