import ArgumentParser
import Catalogue
import Foundation
import MirrorServer
import MirrorSync
import Synchronization

struct WatchCommand: AsyncParsableCommand, ResourceIntensiveCommand {
    static let isBatch = true

    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Keep mirrors up to date: sync them, then follow their changes until stopped.",
        discussion: """
            First each mirror is synced. Then its server's events are requested at every interval, and changes are stored \
            immediately; pictures are downloaded in the background. If the server has no events, the changes are requested \
            by other means, at intervals that follow from its answers. Failed requests are retried without end.

            A catalogue that is read by a description (mirror sources) is synced at intervals. They follow from the requests that \
            the last sync needed: syncs without changes use at most a tenth of what the description allows. When the requests \
            of a day are used up, the watch waits until they continue. Where the description says how changed objects are found, \
            the whole list is read once a day.

            Ctrl-C and SIGTERM stop the watch cleanly. SIGHUP makes it request changes now. mirror pause PARTNER and \
            mirror resume PARTNER pause and continue it.

              mirror watch louvre --interval 10s
              mirror watch met
              mirror watch louvre tate --metrics-port 9464
            """)

    @Argument(help: "The mirrors' names. Default: the only mirror.")
    var partners: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time between requests for changes: \(DurationArgument.form). Default: 30s. Without events it is the shortest time.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0, least: ("1s", "")) })
    var interval: Duration?

    @Option(help: ArgumentHelp("The server's URL, for a new mirror; as with mirror sync.", valueName: "url"))
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Serve metrics at http://127.0.0.1:PORT/metrics as OpenMetrics text; 0 chooses a free port.",
            valueName: "n"))
    var metricsPort: Int?

    @OptionGroup var sources: SourceChoices
    @OptionGroup var choices: SyncChoices
    @OptionGroup var certificates: CertificateOptions
    @OptionGroup var secrets: SecretOptions

    @Option(
        help:
            "How to show the progress of the first sync: auto redraws it in place on a terminal, tree shows every step, plain prints lines."
    )
    var progress = ProgressMode.auto

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        for partner in partners { try TextCheck.partner(partner) }
        guard Set(partners).count == partners.count else {
            throw ValidationError("A partner is named twice. Name each partner once.")
        }
        guard from == nil || partners.count == 1 else {
            throw ValidationError(
                "--from works only with one partner. Create the other mirrors with mirror sync first.")
        }
        try from.map { try TextCheck.server($0, of: partners[0]) }
        guard !sources.hasOption || partners.count < 2 else {
            throw ValidationError(
                "--source, --select, --rate and --withdrawn work only with one mirror. Name one, or set them with mirror sync first: a mirror remembers its source and selection."
            )
        }
        guard certificates.caFile == nil || partners.count < 2 else {
            throw ValidationError(
                "--ca-file works only with one partner. Name one partner, or set SSL_CERT_FILE for all.")
        }
        guard !secrets.hasOption || partners.count < 2 else {
            throw ValidationError(
                "A token belongs to one server, but several partners are named. Store each partner's token with mirror login."
            )
        }
        guard !choices.full, !choices.revalidateMedia else {
            throw ValidationError(
                "mirror watch has no --full or --revalidate-media. Run mirror sync with it first, then mirror watch."
            )
        }
        if let metricsPort, !(0...65_535).contains(metricsPort) {
            throw ValidationError("--metrics-port must be a number from 0 to 65535.")
        }
    }

    var connections: Int { choices.connections }

    /// The options of each sync: from flags and from features that are on. Call it once: it prints notices about features.
    ///
    /// - Throws: ``CommandError`` with code `options` if `options.json` can't be read.
    func options() throws -> SyncOptions { try choices.options(certificates, home) }

    func run() async throws {
        try await output.printing { results in
            let home = self.home.mirrorHome
            let names = partners.isEmpty ? [try self.home.folder(nil).name] : partners
            let screen = Screen.standardError()
            // A token from the environment also belongs to one server.
            let token = try await secrets.token()
            guard token == nil || names.count == 1 else {
                throw CommandError(
                    .secret,
                    "MIRROR_TOKEN belongs to one server, but several partners are named. Unset it, and store each partner's token with mirror login."
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
                    // With port 0, this line is the only way to learn the port.
                    if !quiet || metricsPort == 0 {
                        screen.line("mirror: metrics at http://127.0.0.1:\(port)/metrics")
                    }
                    return await watch(names, composition, results, watches)
                }
            }
            guard let failure else { return }
            guard names.count > 1 else { throw failure }
            // The failure and its mirror were reported when it happened.
            if results.isJSON { results.output.json(OutputOptions.failure(failure)) }
            throw ExitCode(ExitStatus(error: failure).rawValue)
        }
    }

    /// Watches each mirror independently, until the task is cancelled or all watches have failed.
    ///
    /// - Returns: the first failure; `nil` if all watches were stopped.
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
    /// - Returns: the error that ended the watch; `nil` if it was stopped.
    private func failure(
        of name: String, isAlone: Bool, _ composition: Composition, _ results: Results, _ watches: WatchList
    ) async -> (any Error)? {
        let screen = composition.screen
        let style =
            isAlone ? progress.style(isTerminal: screen.isTerminal, isQuiet: quiet) : ProgressMode.Style.none
        do {
            let folder = try home.mirrorHome.mirror(name)
            let composition = composition.reading(try sources.options(of: folder, from: from, home))
            try await composition.withServer(of: folder, from: from) { composition, base in
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

/// The watches that were started.
private final class WatchList: Sendable {
    private let watches = Mutex<[Watch]>([])

    func add(_ watch: Watch) { watches.withLock { $0.append(watch) } }
    func pollNow() { for watch in watches.withLock({ $0 }) { watch.pollNow() } }
}
