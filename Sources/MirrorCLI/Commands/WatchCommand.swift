import ArgumentParser
import Catalogue
import Foundation
import MirrorServer
import MirrorSync
import Synchronization

struct WatchCommand: AsyncParsableCommand, HeavyWork {
    static let isBatch = true

    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Keep mirrors current: sync, then follow what changes, until stopped.",
        discussion: """
            First each mirror is synchronised; then its partner's feed of events is asked at every interval, and what \
            changed is stored at once; pictures follow in the background. A server without events is asked what changed, \
            at intervals that its answers suggest. What fails is tried again for ever.

            Ctrl-C and SIGTERM stop it cleanly; SIGHUP asks at once. mirror pause PARTNER has it wait until mirror resume \
            PARTNER.

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
        guard !secrets.areGiven || partners.count < 2 else {
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

    var requestsAtOnce: Int { choices.jobs }

    /// All that each sync of the watch is asked for, by flags and by features that are on; called once.
    ///
    /// - Throws: ``CommandError`` with code `options` where `options.json` can't be read.
    func options() throws -> SyncOptions { try choices.options(certificates, home) }

    func run() async throws {
        try await output.printing { results in
            let home = self.home.mirrorHome
            let names = partners.isEmpty ? [try self.home.folder(nil).name] : partners
            let screen = Screen.standardError()
            // The token of the environment is for one server, too.
            let token = try await secrets.token()
            guard token == nil || names.count == 1 else {
                throw CommandError(
                    .secret,
                    "MIRROR_TOKEN belongs to one server, and several partners are named: store the token of each with mirror login."
                )
            }
            let composition = Composition(screen: screen, token: token, options: try options())
            let watches = WatchList()
            let failure = try await Interruption.cancelling(
                reportingTo: screen, onHangUp: { watches.pollNow() }
            ) {
                guard let metricsPort else { return await watch(names, composition, results, watches) }
                let metrics = MetricsServer(port: metricsPort) {
                    try MirrorMetrics(home: home, names: names, now: Date()).text
                }
                return try await metrics.whileRunning { port in
                    // Nobody else knows which free port was taken.
                    if !quiet || metricsPort == 0 {
                        screen.line("mirror: metrics at http://127.0.0.1:\(port)/metrics")
                    }
                    return await watch(names, composition, results, watches)
                }
            }
            guard let failure else { return }
            guard names.count > 1 else { throw failure }
            // Which mirror it ended was reported when it did.
            if results.isJSON { results.output.json(OutputOptions.failure(failure)) }
            throw ExitCode(ExitStatus(error: failure).rawValue)
        }
    }

    /// Watches each mirror by itself, until the task is cancelled or none is left: one that ends holds up no other.
    ///
    /// - Returns: what ended the first watch that ended by itself; `nil` if all were stopped.
    private func watch(
        _ names: [String], _ composition: Composition, _ results: Results, _ watches: WatchList
    ) async -> (any Error)? {
        let failures = await withTaskGroup(of: (any Error)?.self) { group in
            for name in names {
                group.addTask {
                    await failure(of: name, isAlone: names.count == 1, composition, results, watches)
                }
            }
            return await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
        }
        if failures.isEmpty {
            results.add(
                ["type": "summary", "outcome": "stopped", "partners": .array(names.map(JSONValue.string))],
                lines: [])
        }
        return failures.first
    }

    /// Watches one mirror.
    ///
    /// - Returns: what ended the watch, if it wasn't stopped.
    private func failure(
        of name: String, isAlone: Bool, _ composition: Composition, _ results: Results, _ watches: WatchList
    ) async -> (any Error)? {
        let screen = composition.screen
        let style =
            isAlone ? progress.style(isTerminal: screen.isTerminal, isQuiet: quiet) : ProgressMode.Style.none
        do {
            let folder = try home.mirrorHome.mirror(name)
            try await composition.reachingServer(of: folder, from: from) { composition, base in
                let report = try WatchReport(
                    RunReport(results: results, screen: screen, isQuiet: quiet, folder: folder),
                    progress: style)
                let watch = composition.watch(folder, from: base, every: interval ?? .seconds(30))
                watches.add(watch)
                try await watch.run(report.observer)
            }
            return nil
        } catch is CancellationError {
            return nil
        } catch {
            if !isAlone { screen.line("mirror: \(name): \(ErrorMessage.of(error))") }
            return error
        }
    }
}

/// The watches that were begun.
private final class WatchList: Sendable {
    private let watches = Mutex<[Watch]>([])

    func add(_ watch: Watch) { watches.withLock { $0.append(watch) } }
    func pollNow() { for watch in watches.withLock({ $0 }) { watch.pollNow() } }
}
