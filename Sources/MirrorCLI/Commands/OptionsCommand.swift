import ArgumentParser
import Catalogue
import Foundation

struct OptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "List the optional features, and switch them on and off permanently.",
        discussion: """
            With this command, --enable NAME and --disable NAME are permanent: they are stored in options.json in the folder \
            that contains the mirrors, and apply to every command that uses that folder. With any other command, --enable NAME \
            applies to that command only. MIRROR_ENABLE=NAME,NAME in the environment applies to all commands that run with it.
            """)

    @Option(
        help: ArgumentHelp(
            "Switch off a feature that was switched on permanently; may be repeated, or several with commas.",
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
            throw ValidationError(
                "\(both.printable) is given with --enable and with --disable. Leave one of them out.")
        }
        // If the file can't be read, the change reports that later.
        guard !disabled.isEmpty, let stored = try? OptionsFile(home.mirrorHome).names() else { return }
        // A feature of another version may be switched off if the file names it.
        _ = try FeatureTable.current.choice(disabled.filter { !stored.contains($0) }, environment: [:])
    }

    private func change(_ file: OptionsFile, _ table: FeatureTable) throws {
        // Notices about retired features were printed when the arguments were read.
        let enabled = try table.choice(home.enable, environment: [:]).enabled.sorted()
        try file.change(enabling: enabled, disabling: FeatureTable.names(disable))
    }

    /// - Parameter byVariable: the features that only `MIRROR_ENABLE` switches on.
    static func lines(
        _ table: FeatureTable, enabled: Set<String>, byVariable: Set<String> = []
    ) -> [String] {
        guard !table.live.isEmpty else { return [FeatureTable.none] }
        let width = table.live.map(\.name.columns).max() ?? 0
        return table.live.map { feature in
            let state = enabled.contains(feature.name) ? "on " : "off"
            let reason =
                byVariable.contains(feature.name) ? " MIRROR_ENABLE switches it on." : ""
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
/// When a feature is ready, it is on for everybody and moves from ``live`` to ``retired``, so that scripts that still name it
/// keep working.
struct FeatureTable: Sendable {
    fileprivate static let none = "This version has no optional features."

    /// The features of this version.
    static let current = FeatureTable(
        live: [(tiles, "Downloads the deep-zoom tiles of pictures, where the server has them.")], retired: [:]
    )
    static let tiles = "tiles"

    /// The features that can be switched on, each with a sentence that says what it does.
    let live: [(name: String, sentence: String)]
    /// Names of features that need not be switched on any more, each with the reason.
    let retired: [String: String]

    /// - Parameters:
    ///   - names: the values of `--enable`; each may contain several names, separated by commas.
    ///   - environment: its variable `MIRROR_ENABLE` adds names, separated by commas.
    /// - Returns: the features that are switched on, and notices about retired names.
    /// - Throws: `ValidationError` for an unknown name, or an empty one among `names`.
    func choice(
        _ names: [String], environment: [String: String]
    ) throws -> (enabled: Set<String>, notices: [String]) {
        var enabled: Set<String> = [], notices: [String] = []
        // Scripts may compose the variable: empty names in it are ignored.
        let variable = Self.parts(environment["MIRROR_ENABLE"] ?? "").filter { !$0.isEmpty }
        for name in try Self.names(names) + variable {
            if live.contains(where: { $0.name == name }) {
                enabled.insert(name)
            } else if let reason = retired[name] {
                let notice = "\(name) is no longer needed: \(reason)"
                if !notices.contains(notice) { notices.append(notice) }
            } else {
                let known =
                    live.isEmpty
                    ? Self.none : "The features are: \(live.map(\.name).joined(separator: ", "))."
                throw ValidationError("There is no feature called \(name.printable). \(known)")
            }
        }
        return (enabled, notices)
    }

    /// The features that `options.json` switches on, and notices about its other names. Those are no error: another version may
    /// use the same file.
    func lasting(_ names: [String]) -> (enabled: Set<String>, notices: [String]) {
        var enabled: Set<String> = [], notices: [String] = []
        for name in names {
            // Any other name would need quoting in a shell.
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
                    "options.json switches on \(isPlain ? name : "\"\(name.printable)\""), a feature that this version doesn't have, so it is ignored. \(removal)"
                )
            }
        }
        return (enabled, notices)
    }

    /// Splits arguments into names: each argument may contain several, separated by commas.
    ///
    /// - Throws: `ValidationError` for an empty name.
    static func names(_ arguments: [String]) throws -> [String] {
        let names = arguments.flatMap(parts)
        guard !names.contains("") else {
            throw ValidationError(
                "The name of a feature is missing. Give a name that mirror options lists, or several, separated by commas."
            )
        }
        return names
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
