import ArgumentParser
import MirrorStore

/// The mirror to read or edit, and the format of the results.
struct MirrorOptions: ParsableArguments {
    @OptionGroup var home: HomeOptions

    @Option(help: ArgumentHelp("The mirror's name. Default: the only mirror.", valueName: "name"))
    var partner: String?

    @OptionGroup var output: OutputOptions
}

/// A command that reads or edits one mirror and prints results.
protocol MirrorSubcommand: AsyncParsableCommand {
    var mirror: MirrorOptions { get }
    /// Whether the command edits the mirror. An edit may happen while a run works on the mirror.
    static var isEdit: Bool { get }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws
}

extension MirrorSubcommand {
    static var isEdit: Bool { false }

    func run() async throws {
        try await mirror.output.printing { results in
            let folder = try mirror.home.folder(mirror.partner)
            try folder.withStore(readOnly: !Self.isEdit, folding: !Self.isEdit) {
                try perform($0, folder, results)
            }
        }
    }
}

extension MirrorFolder {
    /// Opens the mirror for `body`, and closes it afterwards.
    ///
    /// - Parameter folding: `false` while another program may write, see ``MirrorStore/CatalogueStore/close(folding:)``.
    func withStore<Result>(
        readOnly: Bool, folding: Bool = true, _ body: (CatalogueStore) throws -> Result
    ) throws -> Result {
        let store = try store(editing: !readOnly)
        do {
            let result = try body(store)
            try store.close(folding: folding)
            return result
        } catch {
            try? store.close(folding: folding)
            throw error
        }
    }
}

/// Thrown to stop reading a list or a log before its end.
struct LimitReached: Error {}
