import Catalogue
import Testing

@testable import CatalogueSources
@testable import MirrorCLI
@testable import MirrorSync

/// What `mirror source check` prints about a report.
@Suite struct SourceCheckOutputTests {
    @Test func theLinesOfACheckEndWithASummary() async throws {
        let report = try await LighthouseCheck.report(
            try #require(MarkdownFile.article("MirrorCLI", "WriteASource").blocks("yaml").last))
        let lines = SourceCheckJSON.objects(report)
        let types = lines.compactMap { $0["type"]?.stringValue }
        #expect(types.first == "request")
        #expect(
            Set(types) == ["request", "list", "column", "reading", "object", "host", "conclusion", "summary"])
        #expect(types.filter { $0 == "summary" }.count == 1)
        let summary = try #require(lines.last)
        #expect(summary["outcome"] == "complete")
        #expect(summary["source"] == "lighthouse")
        #expect(summary["requests"] == 1)
        let list = try #require(lines.first { $0["type"] == "list" })
        #expect(list["complete"] == true)
        #expect(list["rows"] == 41)
        let title = try #require(lines.first { $0["column"] == "title" })
        #expect(title["origins"] == ["$.works[].name"])
        #expect(title["filled"] == 41)
    }

    @Test func textOfAServerIsPrintedWithoutEscapes() {
        var report = SourceCheck.Report(description: SourceDescription())
        report.description.title = "A\u{1B}[2J"
        var kind = SourceCheck.KindReport(.artwork)
        var column = ColumnReport(query: "row", column: "title")
        (column.rows, column.filled, column.example) = (1, 1, .text("B\u{1B}[31m\u{202E}"))
        column.origins = ["$.\u{7}x"]
        kind.columns = [column]
        kind.failures = ["No \u{9B}2J"]
        kind.unread = ["$.\u{1B}y"]
        kind.requests = [SourceCheck.SentRequest(url: "https://x.test/\u{1B}", status: 200, bytes: 3)]
        report.kinds = [kind]
        report.hosts = [SourceCheck.AskedHost(name: "h\u{1B}", use: .refused(pictures: 1))]
        let text = SourceCheckText.lines(report).joined()
        let unsafe = text.unicodeScalars.filter { (scalar: Unicode.Scalar) -> Bool in
            scalar.value < 0x20 || scalar.value == 0x9B || scalar.value == 0x202E
        }
        #expect(unsafe.isEmpty)
        #expect(text.contains("B\u{FFFD}[31m"))
    }

    @Test func anObjectIsPrintedAsJSONThatFitsTheTerminal() throws {
        let value = try JSONValue(
            parsing: #"{"a":"\#(String(repeating: "x", count: 200))","b":[{"c":1}],"d":"\u001b"}"#)
        let lines = JSONText.lines(value)
        #expect(lines.first == "{")
        #expect(lines.last == "}")
        #expect(lines.dropFirst().first?.hasSuffix("x…\",") == true)
        #expect(lines.contains("  \"b\": [{\"c\":1}],"))
        #expect(lines.contains("  \"d\": \"\\u001b\""))
        #expect(JSONText.lines(["a": 1]) == ["{\"a\":1}"])
    }

    @Test func whatLaterSyncsRequestIsPrintedWithItsFindings() {
        var thin = SourceCheck.TrialReport(key: "list.thin")
        (thin.rows, thin.findings) = (41, ["Its versions are those of the full list."])
        var kind = SourceCheck.KindReport(.artwork)
        kind.trials = [thin, SourceCheck.TrialReport(key: "object.batch")]
        var report = SourceCheck.Report(description: SourceDescription())
        report.kinds = [kind]
        let text = LighthouseCheck.collapsed(SourceCheckText.lines(report).joined(separator: "\n"))
        #expect(
            text.contains(
                "list.thin: 41 rows. Its versions are those of the full list. object.batch: could not be read; see above."
            ))
        let lines = SourceCheckJSON.objects(report).filter { $0["type"] == "trial" }
        #expect(
            lines == [
                [
                    "type": "trial", "kind": "artwork", "key": "list.thin", "rows": 41,
                    "findings": ["Its versions are those of the full list."],
                ],
                ["type": "trial", "kind": "artwork", "key": "object.batch", "findings": []],
            ])
    }
}
