import ArgumentParser
import Catalogue
import MirrorSync
import OperationTree

struct SyncCommand: AsyncParsableCommand, HeavyWork {
    static let isBatch = true

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

    @Option(
        help: ArgumentHelp(
            "Walk only the lists of these kinds, with what is under them: of \(SyncCommand.listedKinds), separated by commas; may be repeated. It doesn't count as a whole sync.",
            valueName: "kinds"),
        transform: SyncCommand.kinds)
    var only: [[Kind]] = []

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
        if !only.isEmpty, choices.keepShows != nil, !only.joined().contains(.show) {
            throw ValidationError(
                "--keep-shows removes shows, which --only leaves out: add show to --only, or leave out one of the two."
            )
        }
        guard onChange == nil || !dryRun else {
            throw ValidationError(
                "--dry-run changes nothing, so --on-change has nothing to do: leave one out.")
        }
    }

    var requestsAtOnce: Int { choices.jobs }

    /// All that the run is asked for, by flags and by features that are on; called once.
    ///
    /// - Throws: ``CommandError`` with code `options` where `options.json` can't be read.
    func options() throws -> SyncOptions {
        var options = try choices.options(certificates, home)
        options.only = Set(only.joined())
        return options
    }

    /// The kinds that `--only` takes, for people.
    static let listedKinds = Wording.list(Kinds.standard.listed.map(\.name))

    /// - Throws: `ValidationError` for a name of no kind that a partner lists.
    static func kinds(_ text: String) throws -> [Kind] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let name = String(part.trimmingPrefix { $0 == " " })
            guard let kind = KindArgument(argument: name)?.kind, kind.isListed else {
                throw ValidationError(
                    "There is no list of the kind \"\(name.printable)\": --only takes \(listedKinds), separated by commas."
                )
            }
            return kind
        }
    }

    func run() async throws {
        try await output.printing(partner: partner) { results in
            let screen = Screen.standardError()
            let folder = try home.mirrorHome.mirror(partner)
            let report = RunReport(results: results, screen: screen, isQuiet: quiet, folder: folder)
            let monitor = SyncMonitor { report.add($0) }
            let reporter = ProgressReporter(
                screen: screen, style: progress.style(isTerminal: screen.isTerminal, isQuiet: quiet),
                monitor: monitor, atEachLook: { results.output.flush() })
            let composition = Composition(
                screen: screen, token: try await secrets.token(), options: try options(),
                isNewOrigin: newOrigin)
            let summary = try await Interruption.cancelling(reportingTo: screen) {
                try await reporter.whileRunning {
                    try await composition.reachingServer(of: folder, from: from) { composition, base in
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
        commandName: "tree", abstract: "Print the tree of operations that a sync runs.",
        discussion: "Draw it with Graphviz: mirror tree --format dot | dot -Tsvg > tree.svg")

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, dot, json }

    @Option(help: "text, dot for Graphviz, or json.")
    var format = Format.text

    @Flag(
        help:
            "The pull loop instead: the order of persisting, and its states and what leads from one to the next."
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
