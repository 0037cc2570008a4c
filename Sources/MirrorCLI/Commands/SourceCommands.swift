import ArgumentParser
import Catalogue
import CatalogueSources
import Foundation
import MirrorStore
import MirrorSync

struct SourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "List the sources: museums with public APIs that can be mirrored.",
        discussion: """
            Some sources are built in. A file NAME.yaml in the folder sources, which is in the folder that contains the \
            mirrors, adds another, or replaces the built-in one of the same name.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            let entries = try home.sources.entries().map(SourceEntry.init)
            for entry in entries { results.add(entry.json, lines: []) }
            results.lines(SourceListText.lines(entries))
            let failed = entries.count { $0.error != nil }
            results.summary(
                ("sources", entries.count - failed), ("failed", failed),
                outcome: failed > 0 ? "failed" : "complete")
            if failed > 0 { throw ExitCode(ExitStatus.usage.rawValue) }
        }
    }
}

struct SourceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "source",
        abstract: "Show and try descriptions of sources.",
        discussion: """
            A description is a YAML file that says how to read a museum's API. To write one for an unknown API, start with \
            the description of another museum:

              mirror source show cleveland > museum.yaml
              mirror source check museum.yaml

            The article "Write a source" explains the file.
            """,
        subcommands: [SourceShowCommand.self, SourceCheckCommand.self])
}

struct SourceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the description of a source, as a start for your own.")

    @Argument(help: "The source's name.", completion: .sources)
    var name: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
        try await output.printing { results in
            let text = try home.sources.text(named: name)
            let isTerminal = isatty(STDOUT_FILENO) == 1
            results.add(
                ["type": "description", "name": .string(name), "text": .string(text)],
                lines: Self.lines(text, isTerminal: isTerminal))
            results.summary(("sources", 1))
        }
    }

    /// The lines to print: exactly the text, but without control characters on a terminal.
    static func lines(_ text: String, isTerminal: Bool) -> [String] {
        // By bytes, because "\r\n" is one character.
        let body = text.utf8.last == UInt8(ascii: "\n") ? String(Substring(text.utf8.dropLast())) : text
        guard isTerminal else { return [body] }
        return body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { String($0).printable }
    }
}

extension HomeOptions {
    /// The built-in sources, and those in the folder `sources`.
    var sources: SourceFolder { mirrorHome.sources }
}

extension CompletionKind {
    /// The names of all sources.
    static var sources: CompletionKind {
        .custom { words, _, _ in
            SourceNames.completions(words, environment: ProcessInfo.processInfo.environment)
        }
    }
}

/// The names of sources for the completion of a shell.
enum SourceNames {
    /// - Parameter words: The words of the command line, with the `--home` that it may contain.
    static func completions(_ words: [String], environment: [String: String]) -> [String] {
        var home: String?
        for (index, word) in words.enumerated() {
            if word == "--home", words.indices.contains(index + 1) { home = words[index + 1] }
            if word.hasPrefix("--home=") { home = String(word.dropFirst("--home=".count)) }
        }
        let folder = MirrorHome.standard(option: home, environment: environment).sources
        // A folder that can't be read adds no names.
        let names = (try? folder.names()) ?? BuiltInSource.all.map(\.name)
        // The shell would take other names apart.
        return names.filter { $0.wholeMatch(of: #/[A-Za-z0-9._-]+/#) != nil }
    }
}
