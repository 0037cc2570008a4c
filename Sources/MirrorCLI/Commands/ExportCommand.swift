import ArgumentParser
import Foundation
import MirrorStore
import MirrorSync

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a mirror as a JSON Lines catalogue that mirror import reads, or as CSV tables.")

    @Argument(help: "The mirror's name. Default: the only mirror.")
    var partner: String?

    @Option(help: "The format: jsonl for a catalogue, csv for spreadsheets.")
    var format: CatalogueExport.Format

    @Option(name: .customLong("to"), help: ArgumentHelp("The folder to write into.", valueName: "dir"))
    var directory: String

    @Flag(help: "With csv: begin each file with a byte order mark, so that Excel reads it as UTF-8.")
    var bom = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        if directory.isEmpty { throw ValidationError("--to is empty. Give the folder to write into.") }
        if bom, format != .csv {
            throw ValidationError("--bom works only with --format csv. Leave it out, or export as csv.")
        }
    }

    func run() async throws {
        try await output.printing { results in
            let folder = try home.folder(partner)
            let store = try folder.store()
            let path = NSString(string: directory).expandingTildeInPath
            let format = format, export = CatalogueExport(store, folder: folder, byteOrderMark: bom)
            let written = try await Interruption.cancelling { try export.write(format, to: path) }
            try store.close()
            let (noun, field) = format == .jsonl ? ("object", "objects") : ("row", "rows")
            results.add(
                [
                    "type": "summary", "outcome": "complete", field: .integer(written.count),
                    "incomplete": .bool(written.isIncomplete),
                ],
                "\(Wording.count(written.count, noun)) of \(folder.name) written to \(path.printable)")
            if written.isIncomplete, !results.isJSON {
                Screen.standardError().line(
                    "mirror: the export of \(folder.name) is incomplete: no sync or import has completed, or the last one was partial. See mirror status \(folder.name); export again after a complete one."
                )
            }
        }
    }
}

extension CatalogueExport.Format: ExpressibleByArgument {}
