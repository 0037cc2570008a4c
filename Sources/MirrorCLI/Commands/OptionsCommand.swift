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
            let table = FeatureTable.current, enabled = try home.features.enabled
            for object in Self.objects(table, enabled: enabled) { results.add(object, lines: []) }
            results.lines(Self.lines(table, enabled: enabled))
            results.summary(("options", table.live.count))
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

/// The features that are off by default, and are switched on by name.
///
/// One that is ready is on for everybody and leaves the table; its name stays among the retired, so that a script
/// that still names it works.
struct FeatureTable: Sendable {
    struct Feature: Sendable, Hashable {
        let name: String
        /// What it does, in a sentence.
        let sentence: String
    }

    struct Retired: Sendable, Hashable {
        let name: String
        /// Why it is no longer needed.
        let reason: String
    }

    /// The features of this version.
    static let current = FeatureTable(live: [], retired: [])

    let live: [Feature]
    let retired: [Retired]

    /// What is switched on, and notices about names that are no longer needed.
    struct Choice: Sendable, Equatable {
        var enabled: Set<String> = []
        var notices: [String] = []
    }

    /// - Parameters:
    ///   - names: those of `--enable`.
    ///   - environment: its `MIRROR_ENABLE` has more of them, separated by commas.
    /// - Throws: `ValidationError` for a name that no version has.
    func choice(_ names: [String], environment: [String: String]) throws -> Choice {
        let more = (environment["MIRROR_ENABLE"] ?? "").split(separator: ",").map(String.init)
        var choice = Choice()
        for name in (names + more).map({ $0.trimmingCharacters(in: .whitespaces) }) where !name.isEmpty {
            if live.contains(where: { $0.name == name }) {
                choice.enabled.insert(name)
            } else if let retired = retired.first(where: { $0.name == name }) {
                let notice = "\(name) is no longer needed: \(retired.reason)"
                if !choice.notices.contains(notice) { choice.notices.append(notice) }
            } else {
                throw ValidationError(
                    "There is no feature called \(name.printable). "
                        + (live.isEmpty
                            ? "No feature is off by default in this version."
                            : "There are: \(live.map(\.name).joined(separator: ", ")).")
                )
            }
        }
        return choice
    }
}
