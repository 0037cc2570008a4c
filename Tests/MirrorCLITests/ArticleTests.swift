import Foundation
import Testing

/// Checks the links, the file names and the examples of the README and all articles.
@Suite("Articles") struct ArticleTests {
    @Test func theREADMEHasAtMost160Lines() throws {
        #expect(
            try MarkdownFile.readme().text.split(separator: "\n", omittingEmptySubsequences: false).count
                <= 161)
    }

    @Test func everyCatalogueHasARootPageThatListsItsArticles() throws {
        let catalogues = try MarkdownFile.catalogues()
        #expect(catalogues.count >= 10)
        for (target, names) in catalogues {
            let root = try MarkdownFile.article(target, target)
            #expect(root.text.hasPrefix("# ``\(target.replacing("-", with: "_"))``\n"), "\(target)")
            let listed = Self.links(in: try root.section("## Topics")[...])
            #expect(listed.sorted() == names.filter { $0 != target }, "\(target)")
        }
    }

    @Test func everyLinkToAnArticleLeadsToOneInTheSameCatalogue() throws {
        for (target, names) in try MarkdownFile.catalogues() {
            for name in names {
                let missing = Set(Self.links(in: try MarkdownFile.article(target, name).text[...]))
                    .subtracting(names)
                #expect(missing == [], "\(target)/\(name)")
            }
        }
    }

    /// A document refers to an article of another target by target and article: `MirrorSync/Watching`.
    @Test func everyReferenceToAnArticleOfAnotherTargetIsValid() throws {
        let catalogues = try MarkdownFile.catalogues()
        for document in try MarkdownFile.all() {
            for name in MarkdownFile.names(in: document.text) {
                let parts = name.split(separator: "/").map(String.init)
                guard parts.count == 2, let articles = catalogues[parts[0]], !parts[1].contains(".") else {
                    continue
                }
                #expect(
                    articles.contains(parts[1]) || MarkdownFile.exists("Sources/\(name)"),
                    "\(document.path): \(name)")
            }
        }
    }

    @Test func everyRelativeLinkLeadsToAFile() throws {
        let documents = [
            try MarkdownFile.readme(), try MarkdownFile(".github/CONTRIBUTING.md"),
            try MarkdownFile(".github/SECURITY.md"),
        ]
        for document in documents {
            for match in document.text.matches(of: #/\]\(([^)]+)\)/#) {
                let target = String(match.output.1)
                guard !target.hasPrefix("http") else { continue }
                #expect(MarkdownFile.exists(target), "\(document.path): \(target)")
            }
        }
    }

    @Test func everySourceFileThatADocumentRefersToExists() throws {
        var count = 0
        for document in try MarkdownFile.all() {
            for match in document.text.matches(of: #/`([A-Za-z+\/]+\/[A-Za-z+]+\.swift)`/#) {
                let name = String(match.output.1)
                // The reader of the article creates this file.
                if name == "Catalogue/Payloads/Fair.swift" { continue }
                count += 1
                #expect(MarkdownFile.exists("Sources/\(name)"), "\(document.path): \(name)")
            }
        }
        #expect(count > 30)
    }

    @Test func theArticleOnAddingAKindListsFiveEdits() throws {
        #expect(try MarkdownFile.article("Catalogue", "AddingAKind").table(under: "## Overview").count == 5)
    }

    /// `.ci/documents` compiles each example separately. If the first example has only imports, all examples of the
    /// article are one file.
    @Test func everySwiftExampleImportsWhatItUses() throws {
        var count = 0
        for document in try MarkdownFile.all() {
            let examples = document.blocks("swift").filter { !$0.hasPrefix("// Package.swift\n") }
            count += examples.count
            if examples.first?.wholeMatch(of: #/(import .*\n)+/#) != nil { continue }
            for example in examples {
                #expect(example.contains(#/(?m)^import /#), "\(document.path): \(example.prefix(60))")
            }
        }
        #expect(count >= 12)
    }

    private static func links(in text: Substring) -> [String] {
        text.matches(of: #/<doc:([A-Za-z]+)>/#).map { String($0.output.1) }
    }
}
