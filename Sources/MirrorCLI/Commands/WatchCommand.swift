import ArgumentParser
import Catalogue
import Foundation
import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorSync

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Keep mirrors current: sync, then follow what changes, until stopped.",
        discussion: """
            First each mirror is synchronised; then its partner's feed of events is asked at every interval, and what \
            changed is stored at once; pictures follow in the background. A server without events is asked what changed, \
            at intervals that its answers suggest. What fails is tried again for ever.

            Ctrl-C and SIGTERM stop it cleanly; SIGHUP asks at once.

              mirror watch louvre --interval 10s
              mirror watch louvre tate --metrics-port 9464
            """)

    @Argument(help: "The partners. Default: the only mirror there is.")
    var partners: [String] = []

    @Option(
        help: ArgumentHelp(
            "From one asking to the next: \(DurationArgument.form). Default: 30s.", valueName: "time"),
        transform: { try DurationArgument.parse($0, least: ("1s", "")) })
    var interval: Duration?

    @Option(help: ArgumentHelp("The server, for a new mirror: as for mirror sync.", valueName: "url"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "Offer metrics at http://127.0.0.1:PORT/metrics as OpenMetrics text; 0 takes a free port.",
            valueName: "n"))
    var metricsPort: Int?

    @OptionGroup var choices: SyncChoices
    @OptionGroup var certificates: CertificateOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "Show how far the first sync is: in place, as the tree, as lines, or not at all.")
    var progress = ProgressMode.auto

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        for partner in partners { try TextCheck.partner(partner) }
        guard Set(partners).count == partners.count else {
            throw ValidationError("A partner is named twice: once is enough.")
        }
        guard from == nil || partners.count == 1 else {
            throw ValidationError("--from is for one partner: make the other mirrors with mirror sync first.")
        }
        try from.map { try TextCheck.server($0, of: partners[0]) }
        guard certificates.caFile == nil || partners.count < 2 else {
            throw ValidationError(
                "--ca-file is remembered for one server: name one partner, or set SSL_CERT_FILE for all.")
        }
        guard (secrets.tokenFile == nil && secrets.tokenCommand == nil) || partners.count < 2 else {
            throw ValidationError(
                "A token belongs to one server: for several partners store each with mirror login.")
        }
        guard !choices.full, !choices.revalidateMedia else {
            throw ValidationError(
                "--full and --revalidate-media are for one sync: run mirror sync with them, then watch.")
        }
        if let metricsPort, !(0...65_535).contains(metricsPort) {
            throw ValidationError("--metrics-port is a number from 0 to 65535.")
        }
    }

    func run() async throws {
        try await output.printing { output in
            let home = self.home.mirrorHome
            let names = partners.isEmpty ? [try MirrorChoice(home: home).folder(nil).name] : partners
            let screen = Screen.standardError()
            let token = try await token(for: names)
            var options = choices.options
            options.caFile = certificates.path
            let run = WatchRun(
                home: home, names: names, from: from, interval: interval ?? .seconds(30),
                options: options, jobs: choices.jobs, certificates: certificates, token: token,
                output: output, screen: screen,
                json: self.output.json, isQuiet: quiet,
                progress: names.count > 1
                    ? .none : progress.style(isTerminal: screen.isTerminal, isQuiet: quiet))
            let failure = try await Interruption.cancelling(
                notice: { screen.line("mirror: stopping; what is done stays. Once more stops at once.") },
                {
                    guard let metricsPort else { return await run.untilStopped() }
                    let metrics = MetricsServer(port: metricsPort) {
                        try MirrorMetrics(home: home, names: names, now: Date()).text
                    }
                    return try await metrics.whileRunning { port in
                        // A port that nobody knows is of no use.
                        if !quiet || metricsPort == 0 {
                            screen.line("mirror: metrics at http://127.0.0.1:\(port)/metrics")
                        }
                        return await run.untilStopped()
                    }
                })
            guard let failure else { return }
            guard names.count > 1 else { throw failure }
            // Which of them it ended was said when it did.
            if self.output.json { output.json(OutputOptions.failure(failure)) }
            throw ExitCode(ExitStatus(error: failure).rawValue)
        }
    }

    /// The token of the environment is for one server, too.
    private func token(for names: [String]) async throws -> String? {
        let token = try await secrets.token(environment: ProcessInfo.processInfo.environment)
        guard token == nil || names.count == 1 else {
            throw CommandError(
                .secret,
                "MIRROR_TOKEN belongs to one server, and several partners are named: store the token of each with mirror login."
            )
        }
        return token
    }
}
