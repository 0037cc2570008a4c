import ArgumentParser
import Foundation
import MirrorSync
import Testing

@testable import MirrorCLI

/// Holds README.md against the code: what is listed there is what there is.
@Suite("README.md") struct DocumentationTests {
    private let readme: Document
    private let package: PackageFile

    init() throws {
        readme = try Document("README.md")
        package = try PackageFile("Package.swift")
    }

    @Test func commandsAreThoseThatThereAre() throws {
        let documented = try readme.table(under: "## Commands").map { row in
            try #require(row.first?.split(separator: " ").dropFirst().first.map(String.init))
        }
        let commands = MirrorCommand.configuration.subcommands.map { $0.configuration.commandName ?? "" }
        #expect(documented.sorted() == commands.sorted())
    }

    @Test func optionsInTheCommandTableExist() throws {
        for row in try readme.table(under: "## Commands") {
            let name = try #require(row.first?.split(separator: " ").dropFirst().first.map(String.init))
            let command = try #require(
                MirrorCommand.configuration.subcommands.first { $0.configuration.commandName == name })
            let options = Self.options(of: command)
            for match in try #require(row.first).matches(of: #/--[a-z-]+/#) {
                #expect(options.contains(String(match.output)), "mirror \(name) \(match.output)")
            }
        }
    }

    @Test func optionsOfSyncAreAllListed() throws {
        let documented = try readme.table(under: "### Options of `mirror sync`").map { row in
            try #require(row.first?.split(separator: " ").first.map(String.init))
        }
        let options = Self.options(of: SyncCommand.self).subtracting(["--version", "--help"])
        #expect(Set(documented) == options)
        #expect(documented.count == options.count)
    }

    @Test func exitCodesAreThePromisedOnes() throws {
        let documented = try readme.table(under: "### Exit codes").map { $0.first.flatMap { Int32($0) } }
        #expect(documented == (0...255).filter { ExitStatus(rawValue: $0) != nil })
        let meanings = try readme.table(under: "### Exit codes").map { $0[1] }
        #expect(meanings == ExitStatus.meanings.map(\.meaning))
    }

    @Test func theManualPageHasEveryCommandAndOption() throws {
        let page = try ManualPage.current().lines
        for command in MirrorCommand.configuration.subcommands {
            let name = try #require(command.configuration.commandName)
            let start = try #require(page.firstIndex(of: ".SS \"mirror \(name)\""), "\(name)")
            let section = page[(start + 1)...].prefix { !$0.hasPrefix(".SS") && !$0.hasPrefix(".SH") }
            let tags = section.filter { $0.hasPrefix(".B ") }.map { $0.replacing("\\-", with: "-") }
            for option in Self.options(of: command).subtracting(["--help", "--version"]) {
                let pattern = try Regex("\(option)[ ,\"]")
                #expect(tags.contains { $0.contains(pattern) }, "\(name) \(option)")
            }
            #expect(section.contains { $0 == command.configuration.abstract.replacing("-", with: "\\-") })
            for part in command.configuration.subcommands {
                let name = "\(name) \(part.configuration.commandName ?? "")"
                #expect(page.contains(".SS \"mirror \(name)\""), "\(name)")
            }
        }
        let text = page.joined(separator: "\n")
        for name in ["MIRROR_HOME", "MIRROR_TOKEN", "MIRROR_ENABLE", "NO_COLOR"] {
            #expect(text.contains(name))
        }
        #expect(ExitStatus.meanings.allSatisfy { !$0.meaning.isEmpty })
    }

    /// A line that begins with a dot or an apostrophe is a macro to man(7), so no text may.
    @Test func theManualPageHasNoMacroButItsOwn() throws {
        let known: Set = ["TH", "SH", "SS", "TP", "PP", "B", "I", "EX", "EE"]
        let page = try ManualPage.current().lines
        for line in page where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(known.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
        }
        #expect(page.filter { $0 == ".EX" }.count == page.filter { $0 == ".EE" }.count)
        #expect(!page.contains { $0.isEmpty || $0.contains("\n") })
    }

    @Test func hooksAreInTheOrderInWhichTheyRun() throws {
        let documented = try readme.table(under: "### Around a run, and stopping one").compactMap(\.first)
        #expect(documented == SyncHooks.standard.map(\.name))
    }

    @Test func theTreeIsTheOneThatIsPrinted() throws {
        #expect(try readme.block("text", under: "## The tree") == TreeCommand.text(.text))
    }

    // MARK: - Targets

    @Test func targetsAndTheirImportsAreThoseOfThePackage() throws {
        let rows = try readme.table(under: "## How it is built")
        #expect(rows.compactMap(\.first).sorted() == package.targets.map(\.name).sorted())
        for row in rows {
            let target = try #require(package.targets.first { $0.name == row[0] })
            #expect(Self.names(row[1]) == target.imports, "\(target.name)")
            #expect(Self.names(row[2]) == target.products, "\(target.name)")
        }
    }

    @Test func theDrawingHasEveryTarget() throws {
        let drawing = try readme.block("text", under: "## How it is built")
        let words = drawing.matches(of: #/[A-Za-z][A-Za-z-]+/#).map { String($0.output) }
        #expect(Set(words) == Set(package.targets.map(\.name)))
    }

    @Test func filesThatAreNamedExist() throws {
        let names = readme.text.matches(of: #/`([A-Za-z+\/]+\.swift)`/#).map { String($0.output.1) }
        #expect(names.count > 3)
        #expect(names.filter { !Document.exists($0) && !Document.exists("Sources/\($0)") } == [])
    }

    @Test func theWayOfAnIdNamesFilesThatExist() throws {
        let article = try Document("Sources/MirrorSync/MirrorSync.docc/HowASyncWorks.md")
        let names = article.text.matches(of: #/`([A-Za-z+\/]+\.swift)`/#).map { String($0.output.1) }
        #expect(names.count > 30)
        #expect(names.filter { !Document.exists("Sources/\($0)") } == [])
    }

    @Test func aKindIsAddedInFiveEditsOfFilesThatExist() throws {
        let article = try Document("Sources/Catalogue/Catalogue.docc/AddingAKind.md")
        let rows = try article.table(under: "## Overview")
        #expect(rows.count == 5)
        let missing = rows.map { $0[1] }.filter { !Document.exists("Sources/\($0)") }
        #expect(missing == ["Catalogue/Payloads/Fair.swift"], "the one that is to be made")
    }

    // MARK: - Commands to type

    @Test func theFirstFiveMinutesAreTwoCommands() throws {
        #expect(
            try readme.block("sh", under: "## First five minutes")
                == "swift run mirror sync demo\nswift test\n")
    }

    @Test func everyCommandThatIsShownCanBeParsed() throws {
        let blocks = readme.blocks("sh") + readme.blocks("text")
        let lines = blocks.flatMap { $0.split(separator: "\n") }.compactMap { line -> Substring? in
            let bare = line.trimmingPrefix("$ ").trimmingPrefix("swift run ")
            return bare.hasPrefix("mirror ") ? bare.prefix { $0 != "|" && $0 != ">" } : nil
        }
        #expect(lines.count >= 10)
        for line in lines {
            let arguments = line.split(separator: " ").dropFirst().map(String.init)
            do {
                _ = try MirrorCommand.parseAsRoot(arguments)
            } catch {
                // A completion script is printed by the parser itself.
                #expect(MirrorCommand.exitCode(for: error) == .success, "\(line)")
            }
        }
    }

    /// The options that a command's help lists.
    private static func options(of command: any ParsableCommand.Type) -> Set<String> {
        let help = MirrorCommand.helpMessage(for: command, columns: 200)
        return Set(help.matches(of: #/(?m)^  (?:-[a-z], )?(--[a-z-]+)/#).map { String($0.output.1) })
    }

    /// The names of a cell: `A`, `B`.
    private static func names(_ cell: String) -> Set<String> {
        Set(cell.split(separator: ",").map { $0.filter { $0 != " " && $0 != "`" } })
    }
}

/// A text at the top of the package, with what can be looked up in it.
private struct Document {
    let text: String

    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    init(_ name: String) throws {
        text = try String(contentsOf: Self.package.appending(path: name), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: package.appending(path: path).path)
    }

    /// What follows a heading, to the end.
    private func rest(after heading: String) throws -> Substring {
        let range = try #require(text.firstRange(of: "\n\(heading)\n"), "There is no heading \(heading).")
        return text[range.upperBound...]
    }

    /// The rows of the first table after a heading, without its head; cells without their back-ticks at both ends.
    func table(under heading: String) throws -> [[String]] {
        let lines = try rest(after: heading).split(separator: "\n", omittingEmptySubsequences: false)
        let rows = lines.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
        #expect(!rows.isEmpty)
        return rows.map { row in
            row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map { cell in
                let bare = cell.trimmingCharacters(in: .whitespaces)
                let isOneName =
                    bare.hasPrefix("`") && bare.dropFirst().firstIndex(of: "`") == bare.indices.last
                return isOneName ? String(bare.dropFirst().dropLast()) : bare
            }
        }
    }

    /// The first fenced block of a language after a heading.
    func block(_ language: String, under heading: String) throws -> String {
        try #require(Self.blocks(language, in: rest(after: heading)).first)
    }

    func blocks(_ language: String) -> [String] { Self.blocks(language, in: text[...]) }

    private static func blocks(_ language: String, in text: Substring) -> [String] {
        var blocks: [String] = []
        var rest = text
        while let opening = rest.firstRange(of: "```\(language)\n") {
            rest = rest[opening.upperBound...]
            guard let closing = rest.firstRange(of: "```") else { break }
            blocks.append(String(rest[..<closing.lowerBound]))
            rest = rest[closing.upperBound...]
        }
        return blocks
    }
}

/// The targets that a Package.swift declares in `Sources`.
private struct PackageFile {
    struct Target {
        let name: String
        /// Other targets of the package.
        let imports: Set<String>
        /// Products of other packages.
        let products: Set<String>
    }

    let targets: [Target]

    init(_ name: String) throws {
        let text = try Document(name).text
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
