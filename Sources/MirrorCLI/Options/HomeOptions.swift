import ArgumentParser
import Foundation
import MirrorStore

/// Where the mirrors are.
struct HomeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that holds the mirrors. Default: MIRROR_HOME, else the platform's data folder.",
            valueName: "dir"))
    var home: String?

    @OptionGroup var features: FeatureOptions

    var mirrorHome: MirrorHome {
        let home = MirrorHome.standard(option: home, environment: ProcessInfo.processInfo.environment)
        // Said in full: a relative folder means nothing in a log.
        return MirrorHome(path: URL(fileURLWithPath: home.path).standardizedFileURL.path)
    }
}
