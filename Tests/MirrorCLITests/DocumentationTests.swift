import ArgumentParser
import Foundation
import MirrorSync
import Testing

@testable import MirrorCLI

/// Compares the lists in the documents with the code: commands, options, exit codes, hooks, the tree, the targets.
@Suite("Documents") struct DocumentationTests {
    @Test func theCommandsArticleListsExactlyTheCommandsThatExist() throws {
        let documented = try Self.commandRows().map(\.name)
        let commands = MirrorCommand.configuration.subcommands.map { $0.configuration.commandName ?? "" }
        #expect(documented.sorted() == commands.sorted())
    }

    @Test func theOptionsInTheTableOfCommandsExist() throws {
        for (name, usage) in try Self.commandRows() {
            let options = try Self.options(of: name)
            for match in usage.matches(of: #/--[a-z-]+/#) {
                #expect(options.contains(String(match.output)), "mirror \(name) \(match.output)")
            }
        }
    }

    @Test func theCommandsArticleListsExactlyTheOptionsOfSync() throws {
        let documented = try Self.documentedSyncOptions(), options = try Self.options(of: "sync")
        #expect(Set(documented) == options)
        #expect(documented.count == options.count)
    }

    @Test func theCommandsArticleListsTheOptionsOfSyncThatOtherCommandsAccept() throws {
        let text = try MarkdownFile.article("MirrorCLI", "Commands").section("## Options of sync")
        let sync = try Self.options(of: "sync")
        func options(in sentence: Regex<Substring>) throws -> Set<String> {
            let range = try #require(text.firstRange(of: sentence))
            return Set(MarkdownFile.names(in: text[range]).filter { $0.hasPrefix("--") })
        }
        // `watch` parses these two options, in order to refuse them with an explanation.
        let refused: Set = ["--full", "--revalidate-media"]
        let watch = try Self.options(of: "watch").subtracting(refused)
        #expect(
            try options(in: #/`mirror watch` accepts all of these except[^.]*\./#)
                == sync.subtracting(watch))
        #expect(
            try options(in: #/`mirror verify` accepts[^.]*\./#)
                == sync.intersection(Self.options(of: "verify")))
    }

    @Test func theCommandsArticleListsExactlyTheOptionsOfSourceCheck() throws {
        let rows = try MarkdownFile.article("MirrorCLI", "Commands").table(
            under: "## Options of source check")
        let documented = Set(rows.compactMap { $0.first?.split(separator: " ").first.map(String.init) })
        let common: Set = ["--json", "--home", "--enable", "--help", "--version"]
        #expect(documented == Self.options(of: SourceCheckCommand.self).subtracting(common))
    }

    @Test func theCommandsArticleListsTheCommandsWithoutJSONOutput() throws {
        let text = try MarkdownFile.article("MirrorCLI", "Commands").text
        let sentence = try #require(text.firstMatch(of: #/All but ([^.]*) accept\s+`--json`/#))
        let without = Set(MarkdownFile.names(in: sentence.output.1))
        for command in MirrorCommand.configuration.subcommands where command.configuration.subcommands.isEmpty
        {
            let name = try #require(command.configuration.commandName)
            let options = try Self.options(of: name)
            #expect(options.contains("--json") != without.contains(name), "\(name)")
            #expect(options.contains("--home"), "\(name)")
        }
    }

    @Test func theExitCodesArticleListsTheCodesWithTheirMeanings() throws {
        let rows = try MarkdownFile.article("MirrorCLI", "ExitCodes").table(under: "## Overview")
        #expect(rows.map { Int32($0[0]) } == (0...255).filter { ExitStatus(rawValue: $0) != nil })
        #expect(rows.map { $0[1] } == ExitStatus.meanings.map(\.meaning))
    }

    @Test func theArticleOnHooksListsThemInTheirOrder() throws {
        let rows = try MarkdownFile.article("MirrorSync", "Hooks").table(under: "## Overview")
        #expect(rows.compactMap(\.first) == SyncHooks.standard.map(\.name))
    }

    @Test func theREADMEShowsTheTreeThatIsPrinted() throws {
        #expect(try MarkdownFile.readme().block("text", under: "## The tree") == TreeCommand.text(.text))
    }

    @Test func theREADMEShowsHowToMakeTheDemoAndRunTheTests() throws {
        #expect(
            try MarkdownFile.readme().block("sh", under: "## Install")
                == "swift run mirror sync demo\nswift test\n")
    }

    @Test func everyCommandThatADocumentShowsCanBeParsed() throws {
        var count = 0
        for document in try MarkdownFile.all() {
            let blocks = ["sh", "console", "text"].flatMap(document.blocks)
            for line in blocks.flatMap({ $0.split(separator: "\n") }) {
                let bare = line.trimmingPrefix("$ ").trimmingPrefix("swift run ")
                guard bare.hasPrefix("mirror ") else { continue }
                count += 1
                let arguments = bare.prefix { $0 != "|" && $0 != ">" }.split(separator: " ").dropFirst()
                do {
                    _ = try MirrorCommand.parseAsRoot(arguments.map(String.init))
                } catch {
                    // The parser ends with an error that means success when it prints a completion script.
                    #expect(
                        MirrorCommand.exitCode(for: error) == .success, "\(document.path): \(line)")
                }
            }
        }
        #expect(count >= 25)
    }

    // MARK: - Targets

    @Test func theTargetsArticleListsEveryTargetAndItsImports() throws {
        let package = try PackageFile()
        let rows = try MarkdownFile.article("MirrorCLI", "Targets").tables()[0]
        #expect(rows.compactMap(\.first).sorted() == package.targets.map(\.name).sorted())
        for row in rows {
            let target = try #require(package.targets.first { $0.name == row[0] })
            #expect(Self.names(row[1]) == target.imports, "\(target.name)")
            #expect(Self.names(row[2]) == target.products, "\(target.name)")
        }
    }

    @Test func theDrawingOfTheTargetsHasEveryTarget() throws {
        let drawing = try MarkdownFile.article("MirrorCLI", "Targets").blocks("text")[0]
        let words = drawing.matches(of: #/[A-Za-z][A-Za-z-]+/#).map { String($0.output) }
        #expect(Set(words) == Set(try PackageFile().targets.map(\.name)))
    }

    // MARK: - Helpers

    /// The name and the usage of each command in the table of commands.
    private static func commandRows() throws -> [(name: String, usage: String)] {
        try MarkdownFile.article("MirrorCLI", "Commands").table(under: "## Overview").map { row in
            let usage = try #require(row.first)
            return (try #require(usage.split(separator: " ").dropFirst().first.map(String.init)), usage)
        }
    }

    private static func documentedSyncOptions() throws -> [String] {
        try MarkdownFile.article("MirrorCLI", "Commands").table(under: "## Options of sync").map { row in
            try #require(row.first?.split(separator: " ").first.map(String.init))
        }
    }

    /// The options that a command's help lists.
    static func options(of name: String) throws -> Set<String> {
        let command = try #require(
            MirrorCommand.configuration.subcommands.first { $0.configuration.commandName == name })
        return options(of: command).subtracting(["--version", "--help"])
    }

    static func options(of command: any ParsableCommand.Type) -> Set<String> {
        let help = MirrorCommand.helpMessage(for: command, columns: 200)
        return Set(help.matches(of: #/(?m)^  (?:-[a-z], )?(--[a-z-]+)/#).map { String($0.output.1) })
    }

    /// The names in a cell of a table: `A`, `B`.
    private static func names(_ cell: String) -> Set<String> {
        Set(cell.split(separator: ",").map { $0.filter { $0 != " " && $0 != "`" } })
    }
}

/// The targets that Package.swift declares in `Sources`.
private struct PackageFile {
    struct Target {
        let name: String
        /// The imported targets of this package.
        let imports: Set<String>
        /// The imported products of other packages.
        let products: Set<String>
    }

    let targets: [Target]

    init() throws {
        let text = try MarkdownFile("Package.swift").text
        let parts = text.split(separator: #/\.(executableTarget|testTarget|target)\(/#).dropFirst()
        let kinds = text.matches(of: #/\.(executableTarget|testTarget|target)\(/#).map(\.output.1)
        let sources = zip(kinds, parts).filter { $0 != "testTarget" && !$1.contains(#"path: "Tests/"#) }
        targets = try sources.map { _, part in
            let name = try #require(part.firstMatch(of: #/name: "([^"]+)"/#)?.output.1)
            let products = part.matches(of: #/\.product\(name: "([^"]+)"/#).map { String($0.output.1) }
            let own = part.replacing(#/\.product\([^)]*\)/#, with: "")
            let list = own.firstMatch(of: #/dependencies: \[([^\]]*)\]/#)?.output.1 ?? ""
            let imports = list.matches(of: #/"([^"]+)"/#).map { String($0.output.1) }
            return Target(name: String(name), imports: Set(imports), products: Set(products))
        }
        #expect(targets.count > 1)
    }
}
