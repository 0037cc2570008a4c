import ArgumentParser
import Catalogue
import Foundation

struct OptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "List the features that are off by default, and switch them on and off.",
        discussion: """
            Here --enable NAME and --disable NAME last: they are stored in options.json in the folder that holds the mirrors, \
            and count for every command on these mirrors. On any other command, --enable NAME counts for that command; \
            MIRROR_ENABLE=NAME,NAME counts for all commands that see it.
            """)

    @Option(
        help: ArgumentHelp(
            "Switch off a feature that was switched on here; may be repeated, or several with commas.",
            valueName: "name"))
    var disable: [String] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            let table = FeatureTable.current, file = OptionsFile(home.mirrorHome)
            try change(file, table)
            let lasting = Set(try file.names()), enabled = try home.features()
            for object in Self.objects(table, enabled: enabled, lasting: lasting) {
                results.add(object, lines: [])
            }
            let variable = try table.choice([], environment: ProcessInfo.processInfo.environment).enabled
            results.lines(
                Self.lines(table, enabled: enabled, byVariable: variable.subtracting(lasting)))
            results.summary(("options", table.live.count))
        }
    }

    func validate() throws {
        let enabled = Set(try FeatureTable.names(home.enable)), disabled = try FeatureTable.names(disable)
        if let both = disabled.first(where: enabled.contains) {
            throw ValidationError("\(both.printable) can't be switched on and off at once: leave one out.")
        }
        // A file that can't be read is reported when it is to be changed.
        guard !disabled.isEmpty, let stored = try? OptionsFile(home.mirrorHome).names() else { return }
        // A name of another version that is switched on may be switched off here.
        _ = try FeatureTable.current.choice(disabled.filter { !stored.contains($0) }, environment: [:])
    }

    private func change(_ file: OptionsFile, _ table: FeatureTable) throws {
        // What is no longer needed was reported when the arguments were read.
        let enabled = try table.choice(home.enable, environment: [:]).enabled.sorted()
        try file.change(enabling: enabled, disabling: FeatureTable.names(disable))
    }

    /// - Parameter byVariable: the names that are on by `MIRROR_ENABLE`, and not lastingly.
    static func lines(
        _ table: FeatureTable, enabled: Set<String>, byVariable: Set<String> = []
    ) -> [String] {
        guard !table.live.isEmpty else { return [FeatureTable.none] }
        let width = table.live.map(\.name.columns).max() ?? 0
        return table.live.map { feature in
            let state = enabled.contains(feature.name) ? "on " : "off"
            let reason =
                byVariable.contains(feature.name) ? " MIRROR_ENABLE has it on for commands that see it." : ""
            return "\(feature.name.padded(to: width))  \(state)  \(feature.sentence)\(reason)"
        }
    }

    /// - Parameter lasting: the names in `options.json`.
    static func objects(
        _ table: FeatureTable, enabled: Set<String>, lasting: Set<String> = []
    ) -> [JSONObject] {
        table.live.map { feature in
            [
                "type": "option", "name": .string(feature.name), "sentence": .string(feature.sentence),
                "enabled": .bool(enabled.contains(feature.name)),
                "lasting": .bool(lasting.contains(feature.name)),
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
    static let current = FeatureTable(
        live: [(tiles, "Downloads the deep-zoom tiles of pictures, where the server has them.")], retired: [:]
    )
    static let tiles = "tiles"

    /// What each does, in a sentence.
    let live: [(name: String, sentence: String)]
    /// Why each is no longer needed, by its name.
    let retired: [String: String]

    /// - Parameters:
    ///   - names: those of `--enable`; each may be several with commas.
    ///   - environment: its `MIRROR_ENABLE` has more of them, separated by commas.
    /// - Returns: what is switched on, and notices about names that are no longer needed.
    /// - Throws: `ValidationError` for a name that no version has, or an empty one among `names`.
    func choice(
        _ names: [String], environment: [String: String]
    ) throws -> (enabled: Set<String>, notices: [String]) {
        var enabled: Set<String> = [], notices: [String] = []
        // In the variable, which scripts put together, an empty name is none.
        let variable = Self.parts(environment["MIRROR_ENABLE"] ?? "").filter { !$0.isEmpty }
        for name in try Self.names(names) + variable {
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

    /// What is switched on of the names in `options.json`, and hints about the others, which are no error: the file may be
    /// another version's, too.
    func lasting(_ names: [String]) -> (enabled: Set<String>, notices: [String]) {
        var enabled: Set<String> = [], notices: [String] = []
        for name in names {
            // Another can't be typed as it is, or means something to a shell.
            let isPlain = name.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9._-]*/#) != nil
            let removal =
                isPlain
                ? "Remove it with: mirror options --disable \(name)" : "Remove it from the file in an editor."
            if live.contains(where: { $0.name == name }) {
                enabled.insert(name)
            } else if let reason = retired[name] {
                notices.append("\(name) is no longer needed: \(reason) \(removal)")
            } else {
                notices.append(
                    "options.json names \(isPlain ? name : "\"\(name.printable)\""), a feature that this version doesn't have; it is left there. \(removal)"
                )
            }
        }
        return (enabled, notices)
    }

    /// The single names of arguments of which each may hold several, separated by commas.
    ///
    /// - Throws: `ValidationError` for an empty name.
    static func names(_ arguments: [String]) throws -> [String] {
        let names = arguments.flatMap(parts)
        guard !names.contains("") else {
            throw ValidationError(
                "The name of a feature is missing: give one that mirror options lists, or several with a comma between two."
            )
        }
        return names
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
