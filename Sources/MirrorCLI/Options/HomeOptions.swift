import ArgumentParser
import Foundation
import MirrorStore

/// Where the mirrors are, and which features that are off by default are on: what every command has that looks at either.
///
/// Both in one group, as a debug build checks a group four times wherever it is used, and one within it four times for
/// each of those.
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
        // Said in full: a relative folder means nothing in a log.
        return MirrorHome(path: URL(fileURLWithPath: home.path).standardizedFileURL.path)
    }

    /// The names of the features that are on, by `--enable` or `MIRROR_ENABLE`.
    var enabledFeatures: Set<String> {
        get throws { try featureChoice().enabled }
    }

    func validate() throws {
        if home?.isEmpty == true { throw ValidationError("--home names no folder.") }
        do {
            for notice in try featureChoice().notices { Screen.standardError().line("mirror: \(notice)") }
        } catch let error as UnknownFeature {
            throw ValidationError(error.description)
        }
    }

    private func featureChoice() throws -> FeatureTable.Choice {
        try FeatureTable.current.choice(enable, environment: ProcessInfo.processInfo.environment)
    }
}
