import ArgumentParser
import Foundation
import Testing

@testable import MirrorCLI

/// Tests of the generated manual page and of the general help.
@Suite("Manual page") struct ManualPageTests {
    @Test func theManualPageHasEveryCommandAndOption() throws {
        let page = try ManualPage.current().lines
        for command in MirrorCommand.configuration.subcommands {
            let name = try #require(command.configuration.commandName)
            let start = try #require(page.firstIndex(of: ".SS \"mirror \(name)\""), "\(name)")
            let section = page[(start + 1)...].prefix { !$0.hasPrefix(".SS") && !$0.hasPrefix(".SH") }
            let tags = section.filter { $0.hasPrefix(".B ") }.map { $0.replacing("\\-", with: "-") }
            for option in DocumentationTests.options(of: command).subtracting(["--help", "--version"]) {
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
    @Test func noTextOfTheManualPageIsReadAsAMacro() throws {
        let known: Set = ["TH", "SH", "SS", "TP", "PP", "B", "I", "EX", "EE"]
        let page = try ManualPage.current().lines
        for line in page where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(known.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
        }
        #expect(page.filter { $0 == ".EX" }.count == page.filter { $0 == ".EE" }.count)
        #expect(!page.contains { $0.isEmpty || $0.contains("\n") })
    }

    @Test func helpAndTheManualPageNameTheArticlesForUsers() throws {
        let help = MirrorCommand.helpMessage(columns: 200)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let page = try ManualPage.current().lines.joined(separator: "\n").replacing("\\-", with: "-")
        #expect(Article.forUsers.count >= 15)
        for article in Article.forUsers {
            #expect(MarkdownFile.exists(article.path), "\(article.path)")
            #expect(page.contains(article.path) && page.contains(article.title), "\(article.path)")
            #expect(try MarkdownFile(article.path).text.hasPrefix("# \(article.title)\n"), "\(article.path)")
        }
        for title in Article.forUsers.map(\.title) { #expect(help.contains(title), "\(title)") }
    }
}
