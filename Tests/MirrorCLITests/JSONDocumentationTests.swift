import Foundation
import Testing

/// Compares the article about JSON output with the code that prints it.
@Suite("The article about JSON output") struct JSONDocumentationTests {
    private let article: MarkdownFile
    private let documented: Set<String>

    init() throws {
        article = try MarkdownFile.article("MirrorCLI", "JSONOutput")
        documented = Set(MarkdownFile.names(in: article.text))
    }

    @Test func theJSONArticleListsExactlyThePrintedLineTypes() throws {
        let listed = try article.table(under: "## Types").flatMap { row in
            row[0].contains("`") ? MarkdownFile.names(in: row[0]) : [row[0]]
        }
        let source = try MarkdownFile.source("MirrorCLI") + MarkdownFile.source("MirrorSync")
        let printed = source.matches(of: #/"type"(?:: |\] = )(?:\.string\()?"([a-z_]+)"/#).map {
            String($0.output.1)
        }
        // The source has one expression for both types.
        #expect(Set(listed) == Set(printed).union(["paused", "resumed"]))
        #expect(listed.count == Set(listed).count)
    }

    @Test(arguments: [
        "MirrorSync/Run/SyncSummary.swift", "MirrorSync/Run/RunEstimate.swift",
        "MirrorSync/Plan/SyncPlan.swift",
        "MirrorSync/Plan/Estimate.swift", "MirrorSync/Plan/Forecast.swift",
        "MirrorSync/Verify/VerifySummary.swift", "MirrorCLI/Running/VerifyReport.swift",
        "MirrorCLI/Running/RunReport.swift", "MirrorCLI/Running/WatchReport.swift",
        "MirrorCLI/Reading/MirrorStatus+Text.swift", "MirrorCLI/Reading/ObjectPage.swift",
        "MirrorCLI/Output/ObjectText.swift", "MirrorCLI/Output/ChangeText.swift",
        "MirrorCLI/Output/RunText.swift", "MirrorCLI/Output/RestoreText.swift",
        "MirrorCLI/Output/WaitingText.swift", "MirrorCLI/Commands/PauseCommands.swift",
        "MirrorCLI/Commands/OptionsCommand.swift", "MirrorCLI/Commands/ExportCommand.swift",
        "MirrorCLI/Commands/SourceCommands.swift", "MirrorCLI/Output/SourceListText.swift",
        "MirrorCLI/Output/SourceCheckJSON.swift",
    ])
    func theJSONArticleNamesEveryFieldThatIsPrinted(file: String) throws {
        let source = try MarkdownFile.source(file)
        let keys =
            source.matches(of: #/"([a-z][a-z0-9_]*)": /#).map { String($0.output.1) }
            + source.matches(of: #/\b(?:object|json|remote)\["([a-z_]+)"\] = /#).map { String($0.output.1) }
        #expect(Set(keys).subtracting(["type"]).subtracting(documented).sorted() == [])
    }

    @Test func everyNameInTheJSONArticleOccursInTheSource() throws {
        let source = try ["MirrorCLI", "MirrorSync", "MirrorStore", "PeriodicLoops", "Catalogue"]
            .map(MarkdownFile.source).joined()
        let quoted = Set(source.matches(of: #/"([a-z][a-z0-9_]*)"/#).map { String($0.output.1) })
        // Many documented values are names of enum cases.
        let cases = Set(
            source.matches(of: #/(?m)^\s*case ([a-zA-Z, ]+)$/#).flatMap { match in
                match.output.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            })
        let properties = Set(
            source.matches(of: #/\b(?:var|let|case) ([a-z][A-Za-z0-9]*)/#).map { String($0.output.1) })
        for name in documented where name.wholeMatch(of: #/[a-z][A-Za-z_]*/#) != nil && name != "null" {
            #expect(quoted.contains(name) || cases.contains(name) || properties.contains(name), "\(name)")
        }
    }
}
