import ArgumentParser
import Foundation
import MirrorStore
import MirrorSync

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a mirror as files: a JSON Lines catalogue that import reads, or tables.")

    @Argument(help: "The mirror. Default: the only one there is.")
    var partner: String?

    @Option(help: "jsonl for a catalogue, csv for spreadsheets.")
    var format: CatalogueExport.Format

    @Option(name: .customLong("to"), help: ArgumentHelp("The folder to write into.", valueName: "dir"))
    var directory: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        if directory.isEmpty { throw ValidationError("--to names no folder.") }
    }

    func run() async throws {
        try await output.printing { output in
            let folder = try MirrorChoice(home: home.mirrorHome).folder(partner)
            let store = try folder.open(readOnly: true)
            let path = NSString(string: directory).expandingTildeInPath
            let format = format
            let count = try await Interruption.cancelling {
                try CatalogueExport(store, folder: folder).write(format, to: path)
            }
            try store.close()
            let noun = format == .jsonl ? "object" : "row"
            guard !self.output.json else { return output.summary(("\(noun)s", count)) }
            output.line("\(Wording.count(count, noun)) of \(folder.name) written to \(path.printable)")
        }
    }
}

extension CatalogueExport.Format: ExpressibleByArgument {}
