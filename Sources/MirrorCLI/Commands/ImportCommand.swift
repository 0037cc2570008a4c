import ArgumentParser
import Foundation
import MirrorServer
import MirrorStore
import MirrorSync
import PartnerAPI

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a mirror from a JSON Lines catalogue, or bring it up to date with a newer one.",
        discussion:
            "The mirror is called by the partner's id in partner.json. It accepts edits when it is served.")

    @Argument(
        help: ArgumentHelp("The folder that holds partner.json and the .jsonl files.", valueName: "dir"))
    var directory: String

    @OptionGroup var guardOptions: GuardOptions

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { output in
            let source = CatalogueSource.folder(NSString(string: directory).expandingTildeInPath)
            let partner = try source.partner()["id"]?.idText ?? ""
            let folder = try home.mirrorHome.mirror(partner)
            let report = RunReport(
                output: output, screen: .standardError(), json: self.output.json, isQuiet: quiet,
                folder: folder)
            let work = CatalogueImport(source, into: folder, maxDelete: guardOptions.maxDelete)
            let summary = try await Interruption.cancelling(
                notice: {
                    report.screen.line("mirror: stopping; what is done stays. Once more stops at once.")
                },
                {
                    let summary = try await work.run()
                    if summary.outcome == .complete { try Self.prepareServing(folder) }
                    return summary
                })
            try report.finish(summary, unreported: summary.problems)
        }
    }

    /// A catalogue is there to be served: what takes long the first time is done now.
    private static func prepareServing(_ folder: MirrorFolder) throws {
        let store = try folder.open()
        do {
            try CatalogueServer.prepare(store)
        } catch {
            try store.close()
            throw error
        }
        try store.close()
    }
}
