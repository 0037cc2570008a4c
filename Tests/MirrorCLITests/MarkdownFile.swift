import Foundation
import Testing

/// A Markdown file of the package, and its tables and fenced blocks.
struct MarkdownFile: Sendable {
    /// Relative to the package's folder.
    let path: String
    let text: String

    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.package.appending(path: path), encoding: .utf8)
    }

    static func readme() throws -> MarkdownFile { try MarkdownFile("README.md") }

    /// An article of a target's DocC catalogue.
    static func article(_ target: String, _ name: String) throws -> MarkdownFile {
        try MarkdownFile("Sources/\(target)/\(target).docc/\(name).md")
    }

    /// The names of all articles, root pages included, by target.
    static func catalogues() throws -> [String: [String]] {
        let manager = FileManager.default, sources = package.appending(path: "Sources").path
        var catalogues: [String: [String]] = [:]
        for target in try manager.contentsOfDirectory(atPath: sources) {
            let folder = "\(sources)/\(target)/\(target).docc"
            guard manager.fileExists(atPath: folder) else { continue }
            catalogues[target] = try manager.contentsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
        }
        return catalogues
    }

    /// The README and all articles.
    static func all() throws -> [MarkdownFile] {
        try [readme()]
            + catalogues().sorted { $0.key < $1.key }.flatMap { target, names in
                try names.map { try article(target, $0) }
            }
    }

    /// Whether a file or folder exists. The path is relative to the package's folder.
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: package.appending(path: path).path)
    }

    /// The text of a source file, or the joined texts of all Swift files in a folder.
    ///
    /// - Parameter path: Relative to `Sources`.
    static func source(_ path: String) throws -> String {
        let place = package.appending(path: "Sources/\(path)").path
        guard !path.hasSuffix(".swift") else { return try String(contentsOfFile: place, encoding: .utf8) }
        let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map {
            try String(contentsOfFile: "\(place)/\($0)", encoding: .utf8)
        }.joined(separator: "\n")
    }

    /// The text after a heading, up to the next heading of the same or a higher level.
    func section(_ heading: String) throws -> Substring {
        let range = try #require(text.firstRange(of: "\n\(heading)\n"), "\(path) has no heading \(heading).")
        let rest = text[range.upperBound...], level = heading.prefix { $0 == "#" }.count
        let next = rest.ranges(of: #/\n(#+) /#).first { rest[$0].count(where: { $0 == "#" }) <= level }
        return rest[..<(next?.lowerBound ?? rest.endIndex)]
    }

    /// The rows of the first table under a heading, without the header.
    ///
    /// A cell with a single name in backticks is returned without the backticks.
    func table(under heading: String) throws -> [[String]] {
        try Self.tables(in: section(heading)).first ?? []
    }

    /// The rows of all tables.
    func tables() -> [[[String]]] { Self.tables(in: text[...]) }

    private static func tables(in text: Substring) -> [[[String]]] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var tables: [[[String]]] = []
        while let start = lines.firstIndex(where: { $0.hasPrefix("|") }) {
            let rows = lines[start...].prefix { $0.hasPrefix("|") }
            tables.append(rows.dropFirst(2).map(cells))
            lines = lines[rows.endIndex...]
        }
        return tables
    }

    private static func cells(_ row: Substring) -> [String] {
        let parts = row.replacing("\\|", with: "\u{0}").dropFirst().dropLast()
        return parts.split(separator: "|", omittingEmptySubsequences: false).map { cell in
            let bare = cell.trimmingCharacters(in: .whitespaces).replacing("\u{0}", with: "\\|")
            let isOneName = bare.hasPrefix("`") && bare.dropFirst().firstIndex(of: "`") == bare.indices.last
            return isOneName ? String(bare.dropFirst().dropLast()) : bare
        }
    }

    /// The first fenced block of a language under a heading.
    func block(_ language: String, under heading: String) throws -> String {
        try #require(Self.blocks(language, in: section(heading)).first)
    }

    /// All fenced blocks of a language.
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

    /// The words in backticks.
    static func names(in text: some StringProtocol) -> [String] {
        String(text).matches(of: #/`([^`\n]+)`/#).map { String($0.output.1) }
    }
}
