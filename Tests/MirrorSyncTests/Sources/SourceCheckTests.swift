import Catalogue
import CatalogueSources
import MirrorHTTP
import MirrorSimulation
import MirrorTesting
import Testing

@testable import MirrorSync

/// Checks of descriptions that are wrong, and of servers that fail.
@Suite struct SourceCheckTests {
    private static let base = "https://api.example.org/v1"

    /// A description of a made-up museum.
    private struct Museum {
        var top: [String] = []
        var form = "form: whole"
        var rows = "SELECT value ->> 'id' AS id, value AS object FROM json_each(:body, '$.works')"
        var total = "total: SELECT :body ->> 'total'"
        var row = "SELECT :body ->> 'name' AS title"
        var images = "SELECT value AS url FROM json_each(:body, '$.pictures') WHERE :body ->> 'free'"

        var yaml: String {
            (top + [
                "source: test", "title: A Museum", "base: \(SourceCheckTests.base)",
                "hosts: [images.example.org]", "artworks:", "  list:", "    \(form)", "    rows: \(rows)",
                "    \(total)", "  object:", "    get: /works/{id}", "    is: SELECT :body ->> 'id'",
                "    row: \(row)", "    images: \(images)",
            ]).joined(separator: "\n") + "\n"
        }
    }

    private static let works = """
        {"total":2,"works":[{"id":1,"name":"A Chair","made":"1890","free":true,"pictures":["https://images.example.org/1.jpg","https://elsewhere.test/1.jpg","ftp://x"]},{"id":2,"name":"A Bowl"}]}
        """

    private func check(
        _ museum: Museum, _ answer: ScriptedAnswer = .text(Self.works), at path: String = "/works",
        id: String? = nil
    ) async throws -> SourceCheck.Report {
        let transport = ScriptedTransport(base: Self.base)
        transport.always("GET", path.replacing("{offset}", with: "0"), answer)
        var museum = museum
        museum.form += "\n    get: \(path)"
        return try await CheckedSource(yaml: museum.yaml, transport).check(id: id)
    }

    // MARK: - Descriptions

    @Test func aMisspeltColumnIsShownWithTheNearestField() async throws {
        let report = try await check(Museum(row: "SELECT :body ->> 'name' AS titel"))
        let column = try #require(report.kinds.first?.column("row", "titel"))
        #expect(column.isUnknown)
        #expect(column.nearestField == "title")
        #expect(
            report.conclusions.first
                == "The column \"titel\" of artworks.object.row is no field of artworks and is kept only in the JSON. Did you mean \"title\"?"
        )
    }

    @Test func aColumnThatIsEmptyInEveryRowAndTheUnreadPathsAreNamed() async throws {
        let report = try await check(
            Museum(row: "SELECT :body ->> 'name' AS title, :body ->> 'date' AS date"))
        let kind = try #require(report.kinds.first)
        #expect(kind.empty == ["row.date"])
        #expect(kind.unread == ["$.works[].made"])
        #expect(kind.conditions["images"]?.contains("$.works[].free") == true)
        #expect(report.conclusions.contains { $0.hasPrefix("Empty in every row: row.date. Compare") })
        #expect(report.conclusions.last == "The description fits these answers. Nothing was written.")
    }

    @Test func picturesOnAHostThatIsNotListedAreReportedAsRefused() async throws {
        let report = try await check(Museum())
        #expect(
            report.hosts == [
                SourceCheck.AskedHost(name: "api.example.org", use: .catalogue),
                SourceCheck.AskedHost(name: "images.example.org", use: .listed(pictures: 1)),
                SourceCheck.AskedHost(name: "elsewhere.test", use: .refused(pictures: 1)),
            ])
        #expect(report.conclusions.contains { $0.contains("hosts: [elsewhere.test]") })
        #expect(report.conclusions.contains { $0.hasPrefix("1 of the pictures' addresses is no HTTP") })
        let picture = try #require(report.kinds.first?.object?.pictures.first)
        #expect(picture.formats.map(\.url) == ["https://images.example.org/1.jpg"])
    }

    @Test func aQueryWithoutRowsIsReportedWithTheConditionOfItsRows() async throws {
        let report = try await check(
            Museum(images: "SELECT 'x' AS url WHERE CAST(:body ->> 'made' AS INTEGER) > 1900"))
        #expect(
            report.conclusions.contains { $0.hasPrefix("The query \"images\" of artworks gave no row.") })
    }

    @Test func aQueryThatFailsIsReportedWithItsPlace() async throws {
        let report = try await check(
            Museum(row: "SELECT :body ->> 'name' AS title, json_extract(:body ->> 'name', '$') AS date"))
        let failure = try #require(report.failures.first)
        #expect(failure.hasPrefix("The query \"row\" (test.yaml:14:"))
        #expect(failure.contains("malformed JSON"))
        // The rest is still reported.
        #expect(report.kinds.first?.page?.rows == 2)
        #expect(report.kinds.first?.column("images", "url")?.filled == 3)
    }

    @Test func anAnswerOfAnotherFormIsReportedWithItsPaths() async throws {
        let report = try await check(
            Museum(), .text(#"{"total":1,"works":[{"key":7,"name":"A Chair"}]}"#))
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.contains("None of the 1 entries") == true)
        let kind = try #require(report.kinds.first)
        #expect(kind.page == nil)
        #expect(kind.unread.contains("$.works[].key"))
        #expect(report.conclusions.last?.hasPrefix("One thing couldn't be read") == true)
    }

    @Test func theProofSaysHowManyPagesTheListHas() async throws {
        var museum = Museum()
        museum.form = "form: offset\n    size: 2"
        let report = try await check(
            museum, .text(Self.works.replacing("\"total\":2", with: "\"total\":4999")),
            at: "/works?from={offset}")
        let page = try #require(report.kinds.first?.page)
        #expect(page.verdict == nil)
        #expect(
            page.proof == [
                "The page states a total of 4,999; the list would have 2,500 pages, of which one was read. The number of different ids must then equal the total."
            ])
    }

    @Test func aListThatStatesAnotherTotalIsIncomplete() async throws {
        let report = try await check(
            Museum(), .text(Self.works.replacing("\"total\":2", with: "\"total\":3")))
        #expect(
            report.kinds.first?.page?.proof == [
                "The list is incomplete: The server states 3 objects, and 2 different ids were read."
            ])
        #expect(report.failures == [])
    }

    // MARK: - Servers

    @Test func anHTMLAnswerIsReported() async throws {
        let page = ScriptedAnswer.text("<html><body>Wait</body></html>", contentType: "text/html")
        let report = try await check(Museum(), page)
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.hasPrefix("The answer is an HTML page instead of JSON.") == true)
        #expect(report.kinds.first?.requests.first?.status == 200)
        #expect(report.hosts.count == 2)
    }

    @Test(arguments: [
        (403, "refuses this program"), (404, "Compare \"base\" and"), (500, "The server failed"),
    ])
    func aStatusThatIsNoSuccessIsReportedWithWhatToDo(status: Int, text: String) async throws {
        let report = try await check(Museum(), .text("{}", status: status))
        let failure = try #require(report.failures.first)
        #expect(failure.contains("the list of artworks with status \(status)."))
        #expect(failure.contains(text))
    }

    @Test func anUnreachableServerIsReported() async throws {
        let report = try await check(Museum(), .failure(.cannotResolveHost))
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.contains("can't be resolved") == true)
        #expect(report.kinds.first?.requests.first?.status == nil)
    }

    @Test func aHostThatBlocksRequestsIsReportedAndNotWaitedFor() async throws {
        let source = try CheckedSource(builtIn: .met, faults: [.blocksAfter40])
        for _ in 0..<20 { _ = try await source.check() }
        let report = try await source.check()
        #expect(report.failures.first?.contains("blocks requests") == true)
        #expect(source.clock.waits.allSatisfy { $0 <= .seconds(20) })
    }

    @Test func aCheckSendsItsRequestsAtTheRateOfTheDescription() async throws {
        let source = try CheckedSource(builtIn: .artic)
        _ = try await source.check()
        // Four requests, at one a second.
        #expect(source.clock.elapsed >= .seconds(3))
    }

    // MARK: - Other bases

    @Test(
        arguments: [
            ("http://127.0.0.1:8001", "http://127.0.0.1:8001"),
            ("https://proxy.test/open/", "https://proxy.test/open"), ("ftp://proxy.test", nil),
            ("https://user:secret@proxy.test", nil), ("https://proxy.test/?a=b", nil), ("proxy.test", nil),
        ] as [(String, String?)])
    func aDescriptionCanBeMovedToAnotherBase(base: String, moved: String?) {
        #expect((try? SourceDescription().moved(to: base))?.base == moved)
    }

    @Test func aMovedDescriptionAsksTheOtherServer() async throws {
        let transport = ScriptedTransport(base: "https://other.test")
        transport.always("GET", "/works", .text(Self.works))
        var source = try CheckedSource(
            yaml: Museum(form: "form: whole\n    get: /works").yaml, transport)
        source.description = try source.description.moved(to: "https://other.test/")
        let report = try await source.check()
        #expect(report.failures == [])
        #expect(transport.lines == ["GET /works"])
        #expect(report.hosts.first?.name == "other.test")
    }
}
