import ArgumentParser
import Foundation

/// What the parser knows of a command and its options: its own description of itself, of which this reads what a manual
/// page needs.
struct CommandInfo: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            /// `--full`, `-q`
            var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?

        /// As in a synopsis: `<url>`, `--from <url>`, `--full`.
        var usage: String {
            let value = "<\(valueName ?? "value")>"
            guard kind != "positional" else { return value + (isRepeating ? " ..." : "") }
            let name = names?.first { $0.kind == "long" } ?? names?.first
            return (name?.text ?? "") + (kind == "option" ? " \(value)" : "") + (isRepeating ? " ..." : "")
        }
    }

    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    let subcommands: [CommandInfo]?
    let arguments: [Argument]?

    /// The arguments that a person is told of; those that every command has are told of once.
    var shownArguments: [Argument] {
        (arguments ?? []).filter { argument in
            argument.shouldDisplay
                && !(argument.names ?? []).contains { ["help", "version"].contains($0.name) }
        }
    }

    /// The commands that a person is told of.
    var shownCommands: [CommandInfo] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The program's own.
    static func current() throws -> CommandInfo {
        struct Tool: Decodable { let command: CommandInfo }
        do {
            _ = try MirrorCommand.parseAsRoot(["--experimental-dump-help"])
        } catch {
            let text = MirrorCommand.fullMessage(for: error)
            return try JSONDecoder().decode(Tool.self, from: Data(text.utf8)).command
        }
        throw CommandError(
            .output, "The manual page could not be made: the commands don't describe themselves.")
    }
}
