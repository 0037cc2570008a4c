import ArgumentParser
import Catalogue
import MirrorSync
import OperationTree

struct SyncCommand: AsyncParsableCommand, ResourceIntensiveCommand {
    static let isBatch = true

    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Create a mirror of a partner's catalogue, or update it.",
        discussion: """
            Give the server's URL with the first sync (--from); later syncs remember it. The partner "demo" is built in and needs \
            no server: this process serves its catalogue itself.

            Catalogues of other servers are read by a description, a source: mirror sources lists them. Sync one by its name, or \
            under another name with --source:

              mirror sync met
              mirror sync prints --source artic --select department=PC-13

            If the server needs an access token, give it with --token-file, --token-command, MIRROR_TOKEN or mirror login.
            """)

    @Argument(
        help: "The mirror's name: the partner's id or slug on the server, or the name of a source.",
        completion: .sources)
    var partner: String

    @Option(help: ArgumentHelp("The server's URL; /api/v1 is appended if it is missing.", valueName: "url"))
    var from: String?

    @Flag(
        help:
            "Allow --from, or the description of the source, to name another host than before. Everything is requested again, and nothing is removed by that sync."
    )
    var newOrigin = false

    @Flag(help: "Report what a sync would do, and write nothing.")
    var dryRun = false

    @Flag(help: "With --dry-run: exit with code 2 if there are changes to make, with 0 if there are none.")
    var exitCode = false

    @Option(
        help: ArgumentHelp(
            "Sync only these kinds and what belongs to them: \(SyncCommand.listedKinds), separated by commas; may be repeated. Such a run doesn't count as a complete sync.",
            valueName: "kinds"),
        transform: SyncCommand.kinds)
    var only: [[Kind]] = []

    @OptionGroup var sources: SourceChoices
    @OptionGroup var choices: SyncChoices
    @OptionGroup var certificates: CertificateOptions
    @OptionGroup var secrets: SecretOptions

    @Option(
        help:
            "How to show progress: auto redraws it in place on a terminal, tree shows every step, plain prints lines."
    )
    var progress = ProgressMode.auto

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @Option(
        help: ArgumentHelp(
            "A shell command to run if anything changed. It gets the summary as JSON on standard input.",
            valueName: "command"))
    var onChange: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        try TextCheck.partner(partner)
        try from.map { try TextCheck.server($0, of: partner) }
        guard !exitCode || dryRun else {
            throw ValidationError(
                "--exit-code works only with --dry-run. Add --dry-run, or leave --exit-code out.")
        }
        if !only.isEmpty, choices.keepShows != nil, !only.joined().contains(.show) {
            throw ValidationError(
                "--keep-shows removes shows, but --only leaves shows out. Add show to --only, or leave one of the two out."
            )
        }
        guard onChange == nil || !dryRun else {
            throw ValidationError(
                "--dry-run changes nothing, so the command of --on-change would never run. Leave one of them out."
            )
        }
    }

    var connections: Int { choices.connections }

    /// The options of the run: from flags and from features that are on. Call it once: it prints notices about features.
    ///
    /// - Throws: ``CommandError`` with code `options` if `options.json` can't be read.
    func options() throws -> SyncOptions {
        var options = try choices.options(certificates, home)
        options.only = Set(only.joined())
        return options
    }

    /// The kinds that `--only` accepts, as text.
    static let listedKinds = Wording.list(Kinds.standard.listed.map(\.name))

    /// - Throws: `ValidationError` for a name that is not a listed kind.
    static func kinds(_ text: String) throws -> [Kind] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let name = String(part.trimmingPrefix { $0 == " " })
            guard let kind = KindArgument(argument: name)?.kind, kind.isListed else {
                throw ValidationError(
                    "--only does not accept \"\(name.printable)\". Give \(listedKinds), separated by commas."
                )
            }
            return kind
        }
    }

    func run() async throws {
        try await output.printing(partner: partner) { results in
            let screen = Screen.standardError()
            let folder = try home.mirrorHome.mirror(partner)
            var options = try options()
            options.source = try sources.options(of: folder, from: from, home)
            let report = RunReport(results: results, screen: screen, isQuiet: quiet, folder: folder)
            let monitor = SyncMonitor { report.add($0) }
            let reporter = ProgressReporter(
                screen: screen, style: progress.style(isTerminal: screen.isTerminal, isQuiet: quiet),
                monitor: monitor, onUpdate: { results.output.flush() })
            let composition = Composition(
                screen: screen, token: try await secrets.token(), options: options,
                isNewOrigin: newOrigin)
            let summary = try await Interruption.cancelling(reportingTo: screen) {
                try await reporter.whileRunning {
                    try await composition.withServer(of: folder, from: from) { composition, base in
                        let sync = composition.sync(folder, from: base, onChange: onChange)
                        return try await dryRun ? sync.plan(monitor) : sync.run(monitor)
                    }
                }
            }
            guard dryRun else { return try report.finish(summary) }
            try report.finishPlan(summary, hasExitCode: exitCode)
        }
    }
}

struct TreeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Print the tree of nodes that a sync runs.",
        discussion: "Draw the tree with Graphviz: mirror tree --format dot | dot -Tsvg > tree.svg")

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, dot, json }

    @Option(help: "The format: text, dot for Graphviz, or json.")
    var format = Format.text

    @Flag(
        help:
            "Print the pull loop instead: the order in which kinds are stored, its states and its transitions."
    )
    var pull = false

    @OptionGroup var home: HomeOptions

    func run() throws {
        let output = LineOutput.standard()
        let text = Self.text(format, pull: pull, tiles: try home.features().contains(FeatureTable.tiles))
        output.line(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        try output.finish()
    }

    static func text(_ format: Format, pull: Bool = false, tiles: Bool = false) -> String {
        let tree = tiles ? SyncTree.tiledTree : SyncTree.tree
        return switch format {
        case .text: pull ? PullDiagram.text : TextTree(tree).text
        case .dot: pull ? PullDiagram.dot : DotGraph(tree).text
        case .json: pull ? PullDiagram.json : JSONTree(tree).text
        }
    }
}
