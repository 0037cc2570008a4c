import ArgumentParser
import Foundation
import MirrorStore

/// The folder of the mirrors, and the optional features that are on.
///
/// Both are in one option group, because a debug build validates a group four times, and a group within a group 16 times.
struct HomeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that contains the mirrors. Default: MIRROR_HOME, else the platform's data folder.",
            valueName: "dir"))
    var home: String?

    @Option(
        help: ArgumentHelp(
            "Switch on an optional feature (mirror options lists them); may be repeated, or several with commas.",
            valueName: "name"))
    var enable: [String] = []

    var mirrorHome: MirrorHome {
        let home = MirrorHome.standard(option: home, environment: ProcessInfo.processInfo.environment)
        // Absolute, so that the path is clear in a log.
        return MirrorHome(path: URL(fileURLWithPath: home.path).standardizedFileURL.path)
    }

    /// The features that are on for this command: by `--enable`, `MIRROR_ENABLE` or `options.json`.
    ///
    /// Call it only once per command, because it prints notices about names in `options.json`.
    ///
    /// - Throws: ``CommandError`` with code `options` if `options.json` can't be read.
    func features() throws -> Set<String> {
        let lasting = FeatureTable.current.lasting(try OptionsFile(mirrorHome).names())
        print(lasting.notices)
        return try chosenFeatures().enabled.union(lasting.enabled)
    }

    /// The features of `--enable` and `MIRROR_ENABLE`, and notices about names that need not be switched on any more.
    func chosenFeatures() throws -> (enabled: Set<String>, notices: [String]) {
        try FeatureTable.current.choice(enable, environment: ProcessInfo.processInfo.environment)
    }

    private func print(_ notices: [String]) {
        guard !notices.isEmpty else { return }
        let screen = Screen.standardError()
        for notice in notices { screen.line("mirror: \(notice)") }
    }

    func validate() throws {
        if home?.isEmpty == true {
            throw ValidationError("--home is empty. Give the folder that contains the mirrors.")
        }
        print(try chosenFeatures().notices)
    }

    /// The folder of the mirror with this name, or of the only mirror if `partner` is `nil`.
    ///
    /// - Throws: ``CommandError`` with code `noMirror` or `severalMirrors`.
    func folder(_ partner: String?) throws -> MirrorFolder {
        let home = mirrorHome
        return try home.mirror(MirrorHome.name(partner, of: home.names(), in: home.path))
    }
}
