import ArgumentParser
import Foundation
import MirrorServer
import MirrorStore
import MirrorSync

struct ImportCommand: AsyncParsableCommand, ResourceIntensiveCommand {
    static let isBatch = true

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Create a mirror from a JSON Lines catalogue, or update it from a newer one.",
        discussion: """
            The mirror's name is the partner's id in partner.json, or the name given with --as. mirror serve accepts edits of \
            its albums. The folder may also contain user.json: the user, in the form of the Partner API's answer to GET /me.
            """)

    @Argument(
        help: ArgumentHelp("The folder that contains partner.json and the .jsonl files.", valueName: "dir"))
    var directory: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The mirror's name. Default: the partner's id.", valueName: "name"))
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
            let work = CatalogueImport(source, into: folder, maxDelete: guardOptions.maxDelete ?? .standard)
            let summary = try await Interruption.cancelling(reportingTo: report.screen) {
                let summary = try await work.run()
                if [.complete, .partial].contains(summary.outcome) {
                    // An imported catalogue is usually served next. Slow preparations are done now, not at the first request.
                    try folder.withStore(readOnly: false, CatalogueServer.prepare)
                }
                return summary
            }
            try report.finish(summary, unreported: summary.problems)
        }
    }

    /// The partner's id, if it is valid as the name of a mirror.
    ///
    /// - Throws: ``StoreError`` with code `invalidName`: an id may be any text, but a mirror's name is the name of its folder.
    private static func name(_ source: CatalogueFiles) throws -> String {
        let id = try source.partner()["id"]?.idText ?? ""
        guard MirrorHome.isValid(id) else {
            throw StoreError(
                .invalidName,
                "The partner's id, \(id.printable.truncated(to: 60)), can't be the name of a mirror. Give another name: mirror import DIR --as NAME"
            )
        }
        return id
    }
}
