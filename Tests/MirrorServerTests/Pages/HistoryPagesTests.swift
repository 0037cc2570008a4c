import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Pages of the history") struct HistoryPagesTests {
    let test: TestServer
    let staff: CatalogueServer
    var store: CatalogueStore { test.store }

    /// `"` and a combining mark are one character, and `</` could end an element.
    private static let hostile = "x\"\u{301} onerror=alert(1) <script>alert(2)</script> {{museum}} ' & \u{0}"

    init() throws {
        test = try TestServer(catalogue: false)
        staff = CatalogueServer(
            mirrors: [.init(name: "test", store: test.store, files: test.files)],
            configuration: .init(isStaff: true))
    }

    /// Stores objects in a run, as a server would send them, and ends the run.
    @discardableResult
    func run(
        _ artworks: [String] = [], remove: [String] = [], outcome: String = "complete",
        summary: String = "{}",
        command: String = "sync", problems: [LoggedProblem] = []
    ) throws -> Int64 {
        test.pass(60)
        let run = try store.beginRun(command)
        for json in artworks {
            _ = try store.apply(
                [.object(ObjectRecord(.artwork, try Artwork(text: json), etag: nil))], run: run)
        }
        for id in remove {
            _ = try store.apply(
                [.tombstone(kind: .artwork, id: id, evidence: .answered(status: 404, url: "/artwork/\(id)"))],
                run: run)
        }
        try store.updateSearchIndex()
        try store.endRun(run, outcome: outcome, summary: summary, errors: problems)
        return run
    }

    func artwork(_ id: String, _ fields: (String, JSONValue)...) -> String {
        JSONObject([("id", .string(id))] + fields).canonicalText
    }

    func page(_ path: String, _ server: CatalogueServer? = nil) async throws -> TestServer.Answer {
        try await test.ask(.get, "/test" + path, of: server)
    }

    @Test func theHistoryShowsRunsAndChangesFieldByField() async throws {
        try run([artwork("a", ("title", "One"), ("medium", "Oil"), ("slug", "the-one"))])
        let second = try run([
            artwork("a", ("title", "One"), ("medium", "Oil on canvas"), ("slug", "the-one"))
        ])
        let answer = try await page("/history")
        #expect(answer.status == 200)
        let text = answer.text
        #expect(text.contains("<strong>Fresh and complete.</strong>"))
        #expect(text.contains("Medium: <del>Oil</del> <ins>Oil on canvas</ins>"))
        #expect(text.contains(#"<a href="/test/history/run/\#(second)">run \#(second)</a>"#))
        #expect(text.contains(#"<a href="/test/artwork/the-one" dir="auto"><cite>One</cite></a>"#))
        #expect(text.contains(#"<svg class="plot""#))
        let json = try await page("/history.json").json().objectValue
        #expect(json?["changes"]?.arrayValue?.count == 3, "the partner, too")
        #expect(json?["runs"]?.arrayValue?.count == 2)
    }

    @Test func secretsAreInNoPublicByte() async throws {
        let secrets = ["4711-price", "4711-note", "4711-title", "4711-error", "4711-path", "hidden-4711"]
        try run([
            artwork("a", ("title", "One"), ("price", "4711-price")),
            artwork("hidden-4711", ("title", "4711-title"), ("published", false)),
        ])
        let second = try run(
            [
                artwork("a", ("title", "One"), ("price", "4712"), ("confidential_notes", "4711-note")),
                artwork("hidden-4711", ("title", "4711-title, again"), ("published", false)),
            ], outcome: "failed", summary: #"{"error":"4711-error in /home/4711-path"}"#,
            problems: [
                LoggedProblem(what: "object", kind: "artwork", id: "hidden-4711", message: "4711-error")
            ])
        let third = try run(remove: ["hidden-4711"])
        let paths = [
            "/history", "/history.json", "/history/run/\(second)", "/history/run/\(second).json",
            "/history/run/\(third)",
            "/artwork/a/history", "/artwork/a/history.json", "/artwork/hidden-4711/history",
            "/artwork/hidden-4711.json",
        ]
        for path in paths {
            let text = try await page(path).text
            for secret in secrets where !(secret == "hidden-4711" && path.contains(secret)) {
                #expect(!text.contains(secret), "\(secret) in \(path)")
            }
        }
        #expect(try await page("/artwork/hidden-4711/history").status == 404)
        let json = try await page("/history.json").json().objectValue
        let runs = json?["runs"]?.arrayValue?.compactMap {
            $0.objectValue?["changes"]?.objectValue?["updated"]?.numberValue?.intValue
        }
        #expect(runs == [0, 0, 0], "the change of a price counts for nobody but staff")
        let shown = try await page("/history", staff).text
        #expect(shown.contains("4711-title") && shown.contains("4711-price") && shown.contains("4711-error"))
        #expect(try await page("/artwork/hidden-4711", staff).status == 410)
    }

    @Test func hostileTextsStayText() async throws {
        let id = "a"
        try run([artwork(id, ("title", .string(Self.hostile)), ("medium", .string(Self.hostile)))])
        try run([artwork(id, ("title", .string(Self.hostile + "2")), (Self.hostile, .string(Self.hostile)))])
        let failed = try run(
            [], outcome: "failed", summary: JSONObject([("error", .string(Self.hostile))]).canonicalText,
            problems: [
                LoggedProblem(what: Self.hostile, kind: "artwork", id: Self.hostile, message: Self.hostile)
            ])
        try run(remove: [id])
        for path in [
            "/history", "/history/run/1", "/history/run/\(failed)", "/artwork/a/history", "/artwork/a",
        ] {
            for server in [nil, staff] {
                let text = try await page(path, server).text
                #expect(!text.contains("<script>alert"), "\(path)")
                #expect(!HostileText.isUnescaped(in: text), "\(path)")
                #expect(!text.utf8.contains(0), "\(path)")
            }
        }
    }

    @Test(arguments: [
        "0", "-1", "x", "99999999999999999999", "1%00", "1.5", "é", "' OR 1=1 --",
        String(repeating: "9", count: 2_000),
    ])
    func aForgedPositionOrRunIsNoError(text: String) async throws {
        try run([artwork("a", ("title", "One"))])
        let encoded = PercentEncoding.encode(text)
        for query in ["before=\(encoded)", "changes=\(encoded)"] where !text.contains("%") {
            #expect(try await page("/history?\(query)").status == 200)
            #expect(try await page("/artwork/a/history?\(query)").status == 200)
        }
        #expect([400, 404, 414].contains(try await page("/history/run/\(encoded)").status))
    }

    @Test func pagesOfRunsAndChangesLinkToEarlierOnes() async throws {
        for number in 0..<45 { try run([artwork("a", ("title", .string("Title \(number)")))]) }
        let first = try await page("/history").text
        #expect(first.contains(#"href="/test/history?before=26#runs""#))
        #expect(first.contains("The newest 40") && !first.contains("Later"))
        for (before, later) in [(26, "/test/history#runs"), (6, "/test/history?before=26#runs")] {
            let text = try await page("/history?before=\(before)").text
            #expect(text.contains("<a href=\"\(later)\" rel=\"prev\">Later runs</a>"), "\(before)")
        }
        let json = try await page("/history.json").json().objectValue
        let next = try #require(json?["next"]?.stringValue)
        let second = try await test.ask(.get, next).text
        #expect(second.contains("<cite>Title 44</cite>"), "the artwork's present title")
        #expect(!second.contains("Earlier changes"))
        let earlier = try await test.ask(.get, next.replacing("?", with: ".json?")).json().objectValue
        let previous = try #require(earlier?["previous"]?.stringValue)
        #expect(second.contains("href=\"\(previous)#changes\" rel=\"prev\">Later changes</a>"))
        let back = try await test.ask(.get, previous.replacing("?", with: ".json?")).json().objectValue
        #expect(back?["changes"] == json?["changes"] && back?["previous"] == .null)
        #expect(json?["previous"] == .null && json?["total"] == .null && earlier?["next"] == .null)
        let own = try await page("/artwork/a/history").text
        #expect(own.contains("Earlier changes"))
    }

    @Test func anEmptyMirrorSaysWhatToDo() async throws {
        let empty = try TestServer.empty()
        let answer = try await empty.ask(.get, "/test")
        #expect(answer.status == 200)
        #expect(answer.text.contains("This mirror has nothing yet"))
        #expect(answer.text.contains("<code>mirror sync test</code>"))
        let history = try await empty.ask(.get, "/test/history")
        #expect(history.status == 200)
        #expect(history.text.contains("Nothing is here yet."))
        #expect(history.text.contains("No change is recorded."))
    }

    @Test func anObjectThatIsGoneSaysWhatItWasAndHowItComesBack() async throws {
        try run([
            artwork(
                "a", ("title", "Harbour, Morning"), ("slug", "harbour"), ("medium", "Oil"), ("price", "9876"))
        ])
        let run = try run(remove: ["a"])
        for key in ["a", "harbour"] {
            let answer = try await page("/artwork/\(key)")
            #expect(answer.status == 410)
            #expect(answer.text.contains("Harbour, Morning is gone"))
            #expect(answer.text.contains("its own address answered 404"))
            #expect(answer.text.contains("<code>mirror restore artwork a --partner test</code>"))
            let history = try await page("/artwork/\(key)/history")
            #expect(history.status == 200)
            #expect(history.text.contains("It can be brought back until 14 February."))
            #expect(history.text.contains("<dt>Medium</dt>"))
            #expect(!history.text.contains("9876"))
            #expect(history.text.contains("run \(run)"))
        }
        test.pass(31 * 86_400)
        let late = try await page("/artwork/a/history").text
        #expect(late.contains("It can no longer be brought back."))
        #expect(!late.contains("mirror restore"))
    }

    @Test func theRecordOfAGoneObjectNamesItsArtists() async throws {
        try test.put(artist: "anna", ("name", "Anna Ancher"))
        let artists = JSONValue.array(["anna", "lost"].map { .object(JSONObject([("id", .string($0))])) })
        try run([artwork("a", ("title", "Harvesters"), ("artists", artists))])
        try run(remove: ["a"])
        let text = try await page("/artwork/a/history").text
        #expect(text.contains("Anna Ancher and lost") && !text.contains("<dt>Id</dt>"))
        #expect(text.contains("<dt>Identifier</dt>"))
    }

    @Test func aCommandNeverContainsAnIdThatCouldEndIt() async throws {
        try run([artwork("$(reboot)", ("title", "One"))])
        try run(remove: ["$(reboot)"])
        let text = try await page("/artwork/%24%28reboot%29").text
        #expect(text.contains("<code>mirror restore</code>"))
        #expect(!text.contains("restore artwork $"))
    }

    @Test(arguments: [
        ("failed", "{}", "Failed", "The last sync failed"),
        ("partial", "{}", "Not complete", "The last sync was not complete."),
        ("cancelled", "{}", "Stopped", "The last sync was stopped"),
        (
            "guarded", #"{"guard":[{"kind":"artwork","held":300,"listed":88,"deletions":212}]}"#,
            "Waiting for a decision",
            "Some objects are no longer listed"
        ),
    ])
    func runsThatDidNotCompleteAreSaidOnEveryPage(
        outcome: String, summary: String, word: String, strip: String
    ) async throws {
        try run([artwork("a", ("title", "One"))])
        let number = try run(outcome: outcome, summary: summary)
        #expect(try await page("/artwork/a").text.contains(strip))
        let history = try await page("/history").text
        #expect(history.contains(strip))
        #expect(history.contains(word))
        #expect(try await page("/history/run/\(number)").text.contains("<strong>\(word).</strong>"))
        if outcome == "guarded" {
            #expect(!history.contains("mirror sync"))
            #expect(
                try await page("/history", staff).text.contains("<code>mirror sync test --dry-run</code>"))
            let address = "/history/run/\(number)"
            #expect(
                try await page(address, staff).text.contains(
                    "212 of 300 artworks would have been removed; the lists have 88."))
            for path in ["/history", address, "/artwork/a"] {
                let text = try await page(path).text
                #expect(!text.contains("212 artworks") && !text.contains("212 of 300"), "\(path)")
            }
            let json = try await page(address + ".json").json().objectValue
            #expect(json?["objections"]?.arrayValue?.isEmpty == true, "visitors get no numbers")
        }
    }

    @Test func aKilledRunIsSaidAndItsChangesAreCountedLater() async throws {
        try run([artwork("a", ("title", "One"))])
        test.pass(60)
        let killed = try store.beginRun("sync")
        _ = try store.apply(
            [.object(ObjectRecord(.artwork, try Artwork(text: artwork("b", ("title", "Two"))), etag: nil))],
            run: killed)
        let underWay = try await page("/history").text
        #expect(underWay.contains("Under way, or stopped"))
        #expect(underWay.contains("are not counted and listed yet"))
        try run([artwork("c", ("title", "Three"))])
        let text = try await page("/history").text
        #expect(text.contains("Stopped without warning"))
        #expect(text.contains("<cite>Two</cite>"))
        #expect(!text.contains("are not counted and listed yet"))
    }
}

extension TestServer {
    /// A mirror in which no run has begun.
    static func empty() throws -> TestServer {
        let server = try TestServer(catalogue: false)
        try server.store.write { db in
            try db.execute(sql: "DELETE FROM partner; DELETE FROM change; DELETE FROM sync_log")
        }
        return server
    }
}
