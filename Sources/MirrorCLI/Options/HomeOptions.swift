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
    func features() throws -> (enabled: Set<String>, notices: [String]) {
        try FeatureTable.current.choice(enable, environment: ProcessInfo.processInfo.environment)
    }

    func validate() throws {
        if home?.isEmpty == true { throw ValidationError("--home names no folder.") }
        for notice in try features().notices { Screen.standardError().line("mirror: \(notice)") }
    }

    /// The folder of the mirror that is named, else of the only one.
    func folder(_ partner: String?) throws -> MirrorFolder {
        let home = mirrorHome
        return try home.mirror(MirrorHome.name(partner, of: home.names(), in: home.path))
    }
}
