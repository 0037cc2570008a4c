import ArgumentParser
import Catalogue
import Foundation

struct OptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options", abstract: "List the features that are off by default.",
        discussion: "Switch one on with --enable NAME, or for good with MIRROR_ENABLE=NAME,NAME.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            let table = FeatureTable.current, enabled = try home.features().enabled
            for object in Self.objects(table, enabled: enabled) { results.add(object, lines: []) }
            results.lines(Self.lines(table, enabled: enabled))
            results.summary(("options", table.live.count))
        }
    }

    static func lines(_ table: FeatureTable, enabled: Set<String>) -> [String] {
        guard !table.live.isEmpty else { return [FeatureTable.none] }
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

/// The features that are off by default, and are switched on by name.
///
/// One that is ready is on for everybody and leaves the table; its name stays among the retired, so that a script
/// that still names it works.
struct FeatureTable: Sendable {
    fileprivate static let none = "No feature is off by default in this version."

    /// The features of this version.
    static let current = FeatureTable(live: [], retired: [:])

    /// What each does, in a sentence.
    let live: [(name: String, sentence: String)]
    /// Why each is no longer needed, by its name.
    let retired: [String: String]

    /// - Parameters:
    ///   - names: those of `--enable`.
    ///   - environment: its `MIRROR_ENABLE` has more of them, separated by commas.
    /// - Returns: what is switched on, and notices about names that are no longer needed.
    /// - Throws: `ValidationError` for a name that no version has.
    func choice(
        _ names: [String], environment: [String: String]
    ) throws -> (enabled: Set<String>, notices: [String]) {
        let more = (environment["MIRROR_ENABLE"] ?? "").split(separator: ",").map(String.init)
        var enabled: Set<String> = [], notices: [String] = []
        for name in (names + more).map({ $0.trimmingCharacters(in: .whitespaces) }) where !name.isEmpty {
            if live.contains(where: { $0.name == name }) {
                enabled.insert(name)
            } else if let reason = retired[name] {
                let notice = "\(name) is no longer needed: \(reason)"
                if !notices.contains(notice) { notices.append(notice) }
            } else {
                let known =
                    live.isEmpty ? Self.none : "There are: \(live.map(\.name).joined(separator: ", "))."
                throw ValidationError("There is no feature called \(name.printable). \(known)")
            }
        }
        return (enabled, notices)
    }
}
