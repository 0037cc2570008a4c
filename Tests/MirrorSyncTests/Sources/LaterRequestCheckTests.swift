import Catalogue
import CatalogueSources
import MirrorTesting
import Testing

@testable import MirrorSync

/// What a check says about requests that only later syncs send.
@Suite struct LaterRequestCheckTests {
    private static let base = "https://api.example.org/v1"
    private static let yaml = """
        source: test
        title: A Museum
        base: \(base)
        artworks:
          list:
            form: whole
            get: /works?fields=all
            rows: SELECT value ->> 'id' AS id, value ->> 'v' AS version FROM json_each(:body, '$.works')
            total: SELECT :body ->> 'total'
            thin: { fields: id }
            since: { get: "/works?since={since:date}" }
          object:
            get: /works/{id}
            batch:
              get: /works?ids={ids}
              size: 2
              rows: SELECT value ->> 'id' AS id, value AS object FROM json_each(:body, '$.works')
            is: SELECT :body ->> 'id'
            row: SELECT :body ->> 'name' AS title

        """

    /// The answers that fit, by request.
    private static let answers = [
        "/works?fields=all": #"{"total":2,"works":[{"id":1,"v":"a"},{"id":2,"v":"b"}]}"#,
        "/works/1": #"{"id":1,"name":"A Chair"}"#,
        "/works?fields=id": #"{"total":2,"works":[{"id":1,"v":"a"},{"id":2,"v":"b"}]}"#,
        "/works?ids=1,2": #"{"works":[{"id":1,"name":"A Chair"},{"id":2,"name":"A Bowl"}]}"#,
        "/works?since=2026-01-30": #"{"total":1,"works":[{"id":2,"v":"b"}]}"#,
    ]

    /// Checks the description with other answers to some requests.
    private func check(
        _ others: [String: ScriptedAnswer] = [:], id: String? = nil
    ) async throws -> (report: SourceCheck.Report, requests: [String]) {
        let transport = ScriptedTransport(base: Self.base)
        for (path, text) in Self.answers { transport.always("GET", path, others[path] ?? .text(text)) }
        let report = try await CheckedSource(yaml: Self.yaml, transport).check(id: id)
        return (report, transport.lines)
    }

    private func trial(_ key: String, _ report: SourceCheck.Report) throws -> SourceCheck.TrialReport {
        try #require(report.kinds.first?.trials.first { $0.key == key })
    }

    @Test func eachIsTriedOnceAndReported() async throws {
        let (report, requests) = try await check()
        #expect(
            requests == [
                "GET /works?fields=all", "GET /works/1", "GET /works?fields=id", "GET /works?ids=1,2",
                "GET /works?since=2026-01-30",
            ])
        #expect(report.failures == [])
        let trials = try #require(report.kinds.first?.trials)
        #expect(trials.map(\.key) == ["list.thin", "object.batch", "list.since"])
        #expect(trials.map(\.rows) == [2, 2, 1])
        #expect(
            trials.map(\.findings) == [
                ["Its versions are those of the full list."],
                ["All objects that were requested in one answer were read."],
                ["The server reports 1 artwork as changed within the last day and the overlap."],
            ])
        #expect(report.conclusions == ["The description fits these answers. Nothing was written."])
    }

    @Test func withAnIdTheyAreNotTried() async throws {
        let (report, requests) = try await check(id: "1")
        #expect(requests == ["GET /works?fields=all", "GET /works/1"])
        #expect(report.kinds.first?.trials == [])
        #expect(
            report.conclusions.contains(
                "Not tried for artworks: object.batch, list.thin and list.since."))
    }

    @Test func oneThatFailsIsReportedAndTheOthersAreTried() async throws {
        let (report, _) = try await check([
            "/works?fields=id": .text("<html></html>", contentType: "text/html"),
            "/works?ids=1,2": .text("{}", status: 404),
        ])
        #expect(report.failures.count == 2)
        #expect(report.failures.first?.hasPrefix("The answer is an HTML page instead of JSON.") == true)
        let failure = report.failures.last ?? ""
        #expect(failure.contains("several artworks in one answer with status 404"), "\(failure)")
        #expect(failure.contains("artworks.object.batch.get"), "\(failure)")
        #expect(report.kinds.first?.trials.map(\.rows) == [nil, nil, 1])
        #expect(!report.conclusions.contains { $0.hasPrefix("Not tried") })
    }

    // MARK: - Batches

    @Test func anObjectThatAnAnswerOfSeveralLacksIsReported() async throws {
        let (report, _) = try await check([
            "/works?ids=1,2": .text(#"{"works":[{"id":1,"name":"A Chair"}]}"#)
        ])
        let batch = try trial("object.batch", report)
        #expect(batch.rows == 1)
        #expect(batch.findings.first?.hasPrefix("1 of the 2 objects that were requested") == true)
    }

    @Test func anObjectThatIsReadDifferentlyFromAnAnswerOfSeveralIsReported() async throws {
        let (report, _) = try await check([
            "/works?ids=1,2": .text(#"{"works":[{"id":1,"name":"Chair"},{"id":2,"name":"A Bowl"}]}"#)
        ])
        let difference = try #require(trial("object.batch", report).findings.last)
        #expect(difference.hasPrefix("The object \"1\" is read differently there than from its own address:"))
        #expect(difference.contains("title"))
    }

    // MARK: - Changes

    @Test func aServerThatIgnoresTheTimeIsReported() async throws {
        let (report, _) = try await check([
            "/works?since=2026-01-30": .text(Self.answers["/works?fields=all"] ?? "")
        ])
        let changes = try trial("list.since", report)
        #expect(changes.rows == 2 && changes.findings.count == 2)
        #expect(changes.findings.last?.contains("the server ignores the time") == true)
    }

    // MARK: - Thin lists

    struct ThinCase: Sendable {
        let thin: SourcePage
        let full: SourcePage
        let findings: [String]

        init(_ thin: [String: String?], _ full: [String: String?], total: Int? = nil, _ findings: String...) {
            func rows(_ versions: [String: String?]) -> [SourceRow] {
                versions.sorted { $0.key < $1.key }.map { SourceRow(id: $0.key, version: $0.value) }
            }
            self.thin = SourcePage(rows: rows(thin), total: total)
            self.full = SourcePage(rows: rows(full), total: total == nil ? nil : 2)
            self.findings = findings
        }
    }

    private static let fits = "Its versions are those of the full list."

    @Test(arguments: [
        ThinCase(["1": "a", "2": "b"], ["1": "a", "2": "b"], fits),
        // The pages of the two lists may have other sizes.
        ThinCase(["1": "a", "2": "b", "3": "c"], ["1": "a", "2": "b"], fits),
        ThinCase(
            ["1": "a"], ["1": "a", "2": "b"], total: 1, fits,
            "It states a total of 1, and the full list one of 2"),
        ThinCase(["1": "a", "2": "x"], ["1": "a", "2": "b"], "1 of 2 versions differ"),
        ThinCase(["1": "a"], ["1": nil], "1 of 1 versions differ"),
        ThinCase(["1": nil], ["1": "a"], "Its rows have no versions"),
        ThinCase(["9": "a"], ["1": "a"], "None of its ids is on the first page"),
        ThinCase([:], ["1": "a"], "It is empty, and the full list is not."),
        ThinCase([:], [:], "It is empty, as the full list is."),
    ])
    func aThinListIsComparedWithTheFullOne(this: ThinCase) {
        let findings = ThinListComparison(of: this.thin, with: this.full).findings
        #expect(findings.count == this.findings.count)
        for (finding, start) in zip(findings, this.findings) {
            #expect(finding.hasPrefix(start), "\(finding)")
        }
    }
}
