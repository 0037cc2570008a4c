import Foundation
import Testing

/// Compares the article "Testing an app" with the tests that are its examples.
@Suite struct TestingAnAppArticleTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    @Test func everyExampleOfTheArticleTestingAnAppIsATestThatRuns() throws {
        let article = try Self.text("Sources/MirrorTesting/MirrorTesting.docc/TestingAnApp.md")
        let tests = try Self.text("Tests/MirrorTestingTests/TestingAnAppTests.swift")
        let examples = article.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(examples.count == 6)
        #expect(examples.joined(separator: "\n") == tests)
    }
}
