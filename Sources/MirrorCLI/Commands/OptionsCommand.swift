import ArgumentParser
import Catalogue

struct OptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options", abstract: "List the features that are off by default.",
        discussion: "Switch one on with --enable NAME, or for good with MIRROR_ENABLE=NAME,NAME.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { output in
            let table = FeatureTable.current, enabled = try home.enabledFeatures
            if self.output.json {
                for object in Self.objects(table, enabled: enabled) { output.json(object) }
                output.summary(("options", table.live.count))
            } else {
                for line in Self.lines(table, enabled: enabled) { output.line(line) }
            }
        }
    }

    static func lines(_ table: FeatureTable, enabled: Set<String>) -> [String] {
        guard !table.live.isEmpty else { return ["No feature is off by default in this version."] }
        let width = table.live.map(\.name.columns).max() ?? 0
        return table.live.map { feature in
            let state = enabled.contains(feature.name) ? "on " : "off"
            return "\(feature.name.padded(to: width))  \(state)  \(feature.sentence)"
        }
    }

    static func objects(_ table: FeatureTable, enabled: Set<String>) -> [JSONObject] {
        table.live.map { feature in
            [
                "type": "option", "name": .string(feature.name), "sentence": .string(feature.sentence),
                "enabled": .bool(enabled.contains(feature.name)),
            ]
        }
    }
}
