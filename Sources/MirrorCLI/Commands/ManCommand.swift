import ArgumentParser
import Catalogue
import Foundation

struct ManCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man", abstract: "Print the manual page.",
        discussion: "Read it with: mirror man > mirror.1 && man ./mirror.1")

    @OptionGroup var home: HomeOptions

    func run() throws {
        let output = LineOutput.standard()
        for line in try ManualPage.current().lines { output.line(line) }
        try output.finish()
    }
}

/// The manual page, in man(7) macros, made from the commands' own descriptions.
struct ManualPage {
    let command: CommandInfo

    static func current() throws -> ManualPage { ManualPage(command: try .current()) }

    var lines: [String] {
        let name = command.commandName
        var page = Roff()
        page.macro("TH", name.uppercased(), "1", "", "\(name) \(Composition.version)", "User Commands")
        page.macro("SH", "NAME")
        page.text("\(name) - \(Self.lowered(command.abstract ?? ""))")
        page.macro("SH", "SYNOPSIS")
        page.macro("B", name)
        page.macro("I", "command")
        page.text("[arguments]")
        page.macro("SH", "DESCRIPTION")
        page.paragraphs(command.discussion ?? "")
        page.macro("SH", "COMMANDS")
        for command in command.shownCommands { add(command, under: name, to: &page) }
        page.macro("SH", "OPTIONS OF EVERY COMMAND")
        page.item("--help, -h", "Show help.")
        page.item("--version", "Show the version.")
        page.item("--generate-completion-script <shell>", "Print a completion script for bash, zsh or fish.")
        page.macro("SH", "EXIT STATUS")
        for (code, meaning) in ExitStatus.meanings { page.item(String(code), Self.sentence(meaning)) }
        page.macro("SH", "ENVIRONMENT")
        for (name, meaning) in Self.environment { page.item(name, meaning) }
        page.macro("SH", "FILES")
        page.item("~/.local/share/mirror", "The default folder of the mirrors on Linux.")
        page.item("~/Library/Application Support/mirror", "The default folder of the mirrors on macOS.")
        page.macro("SH", "SEE ALSO")
        page.text("These articles, in the package's folder:")
        for article in Article.forUsers { page.item(article.title, article.path) }
        return page.lines
    }

    private func add(_ command: CommandInfo, under parent: String, to page: inout Roff) {
        let name = "\(parent) \(command.commandName)"
        page.macro("SS", name)
        page.macro("B", name)
        for argument in command.shownArguments {
            page.text(argument.isOptional ? "[\(argument.usage)]" : argument.usage)
        }
        page.macro("PP")
        page.text(command.abstract ?? "")
        page.paragraphs(command.discussion ?? "", isFirst: false)
        for argument in command.shownArguments {
            var text = argument.abstract ?? ""
            if let values = argument.allValues, !values.isEmpty {
                text += " One of: \(values.joined(separator: ", "))."
            }
            if let value = argument.defaultValue, !text.contains("Default:") {
                text += " (default: \(value))"
            }
            let names = (argument.names ?? []).map(\.text).filter { !argument.usage.hasPrefix($0) }
            page.item(([argument.usage] + names).joined(separator: ", "), text)
        }
        for command in command.shownCommands { add(command, under: name, to: &page) }
    }

    private static let environment = [
        ("MIRROR_HOME", "The folder that contains the mirrors. --home takes precedence."),
        ("MIRROR_TOKEN", "The access token. --token-file and --token-command take precedence."),
        ("MIRROR_ENABLE", "Features to switch on, as with --enable, separated by commas."),
        ("MIRROR_KEY_...", "The key of a museum's API, in the variable that its description names."),
        ("NO_COLOR", "If it is not empty, the output has no colours."),
    ]

    private static func lowered(_ text: String) -> String {
        let text = text.hasSuffix(".") ? String(text.dropLast()) : text
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst().filter { $0 != "`" } + "."
    }
}

/// Lines of man(7) macros.
private struct Roff {
    private(set) var lines: [String] = []

    mutating func macro(_ name: String, _ arguments: String...) {
        let quoted = arguments.map { " \"\(Self.escaped($0).escaping("\"", as: "\\(dq"))\"" }
        lines.append(".\(name)\(quoted.joined())")
    }

    mutating func text(_ text: String) {
        guard !text.isEmpty else { return }
        let escaped = Self.escaped(text)
        lines.append(escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped)
    }

    /// Adds a tagged paragraph.
    mutating func item(_ tag: String, _ text: String) {
        macro("TP")
        macro("B", tag)
        self.text(text.isEmpty ? "\u{00A0}" : text)
    }

    /// Adds paragraphs. Indented lines are examples, which are printed without reflowing.
    mutating func paragraphs(_ text: String, isFirst: Bool = true) {
        var isFirst = isFirst, isInExample = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isExample = line.hasPrefix("  ")
            if isExample != isInExample { macro(isExample ? "EX" : "EE") }
            isInExample = isExample
            if line.isEmpty || !(isFirst || isExample) { macro("PP") }
            self.text(String(line))
            isFirst = true
        }
        if isInExample { macro("EE") }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\u{00A0}", with: "\\&")
    }
}

/// The parser's description of a command and its options: the fields that the manual page needs.
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

        /// The form in a synopsis: `<url>`, `--from <url>`, `--full`.
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

    /// The arguments to print with this command. The page prints `--help` and `--version` once for all commands.
    var shownArguments: [Argument] {
        (arguments ?? []).filter { argument in
            argument.shouldDisplay
                && !(argument.names ?? []).contains { ["help", "version"].contains($0.name) }
        }
    }

    /// The subcommands to print.
    var shownCommands: [CommandInfo] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The description of this program.
    static func current() throws -> CommandInfo {
        struct Tool: Decodable { let command: CommandInfo }
        do {
            _ = try MirrorCommand.parseAsRoot(["--experimental-dump-help"])
        } catch {
            let text = MirrorCommand.fullMessage(for: error)
            return try JSONDecoder().decode(Tool.self, from: Data(text.utf8)).command
        }
        throw CommandError(
            .output,
            "The manual page could not be generated: the parser returned no description of the commands.")
    }
}
