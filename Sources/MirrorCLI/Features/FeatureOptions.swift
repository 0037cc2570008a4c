import ArgumentParser
import Foundation

/// Which features that are off by default are on.
struct FeatureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Switch on a feature that is off by default (mirror options lists them); may be repeated.",
            valueName: "name"))
    var enable: [String] = []

    /// The names of those that are on, by `--enable` or `MIRROR_ENABLE`.
    var enabled: Set<String> {
        get throws { try choice().enabled }
    }

    func validate() throws {
        do {
            for notice in try choice().notices { Screen.standardError().line("mirror: \(notice)") }
        } catch let error as UnknownFeature {
            throw ValidationError(error.description)
        }
    }

    private func choice() throws -> FeatureTable.Choice {
        try FeatureTable.current.choice(enable, environment: ProcessInfo.processInfo.environment)
    }
}
