import CatalogueSources
import Testing

@testable import MirrorCLI

/// Compares the article "Write a source" with the program.
@Suite("The article about sources") struct WriteASourceTests {
    private let article: MarkdownFile
    private let descriptions: [String]

    init() throws {
        article = try MarkdownFile.article("MirrorCLI", "WriteASource")
        descriptions = article.blocks("yaml")
    }

    @Test func theTableListsTheBuiltInSourcesWithTheirFigures() throws {
        let expected = try SourceFolder(nil).entries().map(SourceEntry.init).map { entry in
            let description = try #require(entry.description)
            return [
                entry.name, description.title, Wording.count(try #require(description.works)),
                try #require(description.licence), SourceListText.rate(description.rate),
                try #require(entry.firstCopy).description,
            ]
        }
        #expect(try article.table(under: "## Overview") == expected)
    }

    @Test func theReportsInTheArticleArePrinted() async throws {
        let texts = article.blocks("text")
        #expect(descriptions.count == 2)
        #expect(texts.count == 2)
        for (description, text) in zip(descriptions, texts) {
            let report = try await LighthouseCheck.report(description)
            let printed = LighthouseCheck.collapsed(
                SourceCheckText.lines(report).joined(separator: "\n"))
            for part in text.split(separator: "…") {
                let shown = LighthouseCheck.collapsed(part)
                guard !shown.isEmpty else { continue }
                #expect(printed.contains(shown), "\(shown)\n\(printed)")
            }
        }
    }

    @Test func theCompleteDescriptionReadsAllThatTheMuseumTells() async throws {
        let report = try await LighthouseCheck.report(try #require(descriptions.last))
        let kind = try #require(report.kinds.first)
        #expect(report.failures == [])
        #expect(kind.page?.verdict == .complete)
        #expect(kind.unread == ["$.start"])
        #expect(kind.columns.compactMap(\.nearestField) == [])
        #expect(kind.object?.object.json["title"] == "The Basket of Apples")
        #expect(kind.object?.object.artists.first?["birthday"] != nil)
        #expect(report.hosts.map(\.use) == [.catalogue, .listed(pictures: 1)])
    }

    @Test func theObjectThatTheArticleNamesExists() async throws {
        let id = try #require(article.text.firstMatch(of: #/--id (LH-\d+)/#)).output.1
        let report = try await LighthouseCheck.report(try #require(descriptions.last), id: String(id))
        #expect(report.failures == [])
        #expect(report.kinds.first?.object?.isFromList == false)
    }

    @Test func theArticleNamesEveryFunction() throws {
        let names = Set(MarkdownFile.names(in: article.text).map { String($0.prefix { $0 != "(" }) })
        for function in [
            "plain", "year", "instant", "text", "reading_order", "centimetres", "free", "iiif_base", "list",
            "joined",
        ] {
            #expect(names.contains(function), "\(function)")
        }
    }
}
