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
            "Switch on a feature that is off by default (mirror options lists them); may be repeated, or several with commas.",
            valueName: "name"))
    var enable: [String] = []

    var mirrorHome: MirrorHome {
        let home = MirrorHome.standard(option: home, environment: ProcessInfo.processInfo.environment)
        // Absolute: a relative folder means nothing in a log.
        return MirrorHome(path: URL(fileURLWithPath: home.path).standardizedFileURL.path)
    }

    /// The features that are on for this command: by `--enable`, by `MIRROR_ENABLE`, or lastingly by `mirror options`. What the
    /// lasting ones give rise to is printed as a hint, so this is called once a command.
    ///
    /// - Throws: ``CommandError`` with code `options` where `options.json` can't be read.
    func features() throws -> Set<String> {
        let lasting = FeatureTable.current.lasting(try OptionsFile(mirrorHome).names())
        print(lasting.notices)
        return try chosenFeatures().enabled.union(lasting.enabled)
    }

    /// Those of `--enable` and `MIRROR_ENABLE`.
    func chosenFeatures() throws -> (enabled: Set<String>, notices: [String]) {
        try FeatureTable.current.choice(enable, environment: ProcessInfo.processInfo.environment)
    }

    private func print(_ notices: [String]) {
        guard !notices.isEmpty else { return }
        let screen = Screen.standardError()
        for notice in notices { screen.line("mirror: \(notice)") }
    }

    func validate() throws {
        if home?.isEmpty == true { throw ValidationError("--home names no folder.") }
        print(try chosenFeatures().notices)
    }

    /// The folder of the mirror that is named, else of the only one.
    func folder(_ partner: String?) throws -> MirrorFolder {
        let home = mirrorHome
        return try home.mirror(MirrorHome.name(partner, of: home.names(), in: home.path))
    }
}
