import ArgumentParser
import MirrorStore

/// Which mirror is read.
struct MirrorOptions: ParsableArguments {
    @OptionGroup var home: HomeOptions

    @Option(help: ArgumentHelp("The mirror to read. Default: the only one there is.", valueName: "name"))
    var partner: String?

    /// Opens the mirror for reading, and closes it afterwards.
    func reading<Result>(_ body: (CatalogueStore, MirrorFolder) throws -> Result) throws -> Result {
        let folder = try MirrorChoice(home: home.mirrorHome).folder(partner)
        let store = try folder.open(readOnly: true)
        do {
            let result = try body(store, folder)
            try store.close()
            return result
        } catch {
            try? store.close()
            throw error
        }
    }
}
