import ArgumentParser
import Foundation
import MirrorStore

/// Where the mirrors are, and which features that are off by default are on: for every command that uses either.
///
/// Both are in one group, because a debug build checks a group four times wherever it is used, and a group within it four
/// times for each of those.
struct HomeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that holds the mirrors. Default: MIRROR_HOME, else the platform's data folder.",
            valueName: "dir"))
    var home: String?

    @Option(
        help: ArgumentHelp(
            "Switch on a feature that is off by default (mirror options lists them); may be repeated.",
            valueName: "name"))
    var enable: [String] = []

    var mirrorHome: MirrorHome {
        let home = MirrorHome.standard(option: home, environment: ProcessInfo.processInfo.environment)
        // Absolute: a relative folder means nothing in a log.
        return MirrorHome(path: URL(fileURLWithPath: home.path).standardizedFileURL.path)
    }

    /// The features that are on, by `--enable` or `MIRROR_ENABLE`.
    var features: FeatureTable.Choice {
        get throws {
            try FeatureTable.current.choice(enable, environment: ProcessInfo.processInfo.environment)
        }
    }

    func validate() throws {
        if home?.isEmpty == true { throw ValidationError("--home names no folder.") }
        for notice in try features.notices { Screen.standardError().line("mirror: \(notice)") }
    }

    /// The folder of the mirror that is named, else of the only one.
    func folder(_ partner: String?) throws -> MirrorFolder {
        try MirrorChoice(home: mirrorHome).folder(partner)
    }
}

/// Which mirror is read or edited, and in which form results are printed.
struct MirrorOptions: ParsableArguments {
    @OptionGroup var home: HomeOptions

    @Option(help: ArgumentHelp("The mirror to read. Default: the only one there is.", valueName: "name"))
    var partner: String?

    @OptionGroup var output: OutputOptions

    var folder: MirrorFolder {
        get throws { try home.folder(partner) }
    }
}

extension MirrorFolder {
    /// Opens the mirror for `body`, and closes it afterwards.
    ///
    /// - Parameter folding: `false` beside another program that writes, as for ``MirrorStore/CatalogueStore/close(folding:)``.
    func withStore<Result>(
        readOnly: Bool, folding: Bool = true, _ body: (CatalogueStore) throws -> Result
    ) throws -> Result {
        let store = try open(readOnly: readOnly)
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
