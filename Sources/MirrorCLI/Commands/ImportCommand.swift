import ArgumentParser
import Foundation
import MirrorServer
import MirrorStore
import MirrorSync

struct ImportCommand: AsyncParsableCommand, HeavyWork {
    static let isBatch = true

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a mirror from a JSON Lines catalogue, or bring it up to date with a newer one.",
        discussion: """
            The mirror is called by the partner's id in partner.json, or as --as says. It accepts edits when it is served. \
            The folder may also hold user.json: the user, as the Partner API answers GET /me.
            """)

    @Argument(
        help: ArgumentHelp("The folder that holds partner.json and the .jsonl files.", valueName: "dir"))
    var directory: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("What the mirror is called. Default: the partner's id.", valueName: "name"))
    var name: String?

    @OptionGroup var guardOptions: GuardOptions

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws { try name.map(TextCheck.partner) }

    func run() async throws {
        try await output.printing { results in
            let source = CatalogueFiles.folder(NSString(string: directory).expandingTildeInPath)
            let folder = try home.mirrorHome.mirror(name ?? Self.name(source))
            let report = RunReport(
                results: results, screen: .standardError(), isQuiet: quiet, folder: folder)
            let work = CatalogueImport(source, into: folder, maxDelete: guardOptions.maxDelete)
            let summary = try await Interruption.cancelling(reportingTo: report.screen) {
                let summary = try await work.run()
                if [.complete, .partial].contains(summary.outcome) {
                    // A catalogue is there to be served: what takes long the first time is done now.
                    try folder.withStore(readOnly: false, CatalogueServer.prepare)
                }
                return summary
            }
            try report.finish(summary, unreported: summary.problems)
        }
    }

    /// A partner's id may be anything, and a mirror's name is that of a folder.
    private static func name(_ source: CatalogueFiles) throws -> String {
        let id = try source.partner()["id"]?.idText ?? ""
        guard MirrorHome.isValid(id) else {
            throw StoreError(
                .invalidName,
                "A mirror can't be called by the partner's id, \(id.printable.truncated(to: 60)). Say what to call it: mirror import DIR --as NAME"
            )
        }
        return id
    }
}
