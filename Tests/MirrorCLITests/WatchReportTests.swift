import Catalogue
import Foundation
import MirrorDemo
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorCLI
@testable import MirrorStore
@testable import MirrorSync

@Suite("The output of watch") struct WatchReportTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Records the printed lines without their times.
    private final class Lines: Sendable {
        private let text = Mutex("")
        func sink(_ bytes: [UInt8]) -> Int32? {
            text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return nil
        }
        func take() -> [String] {
            text.withLock { text in
                defer { text = "" }
                return text.split(separator: "\n").map {
                    $0.hasPrefix("{") ? String($0) : String($0.dropFirst(9))
                }
            }
        }
    }

    private func withReport(
        json: Bool = false, isQuiet: Bool = false,
        _ body: (CatalogueStore, WatchReport, Lines, Lines) async throws -> Void
    ) async throws {
        let folder = try home.mirror("demo")
        _ = try await CatalogueImport(.embedded(DemoCatalogue.files), into: folder).run()
        let store = try folder.store()
        let lines = Lines(), errors = Lines()
        let report = try WatchReport(
            RunReport(
                results: Results(output: LineOutput(isImmediate: true) { lines.sink($0) }, isJSON: json),
                screen: Screen(
                    isTerminal: false, hasColour: false, size: { (80, 24) },
                    write: { _ = errors.sink(Array(("-------- " + $0).utf8)) }),
                isQuiet: isQuiet, folder: folder),
            progress: .none)
        try await body(store, report, lines, errors)
        try store.close()
    }

    private func page(run: Int64? = 2, problems: [Problem] = []) -> WatchEvent {
        .pageApplied(
            WatchedPage(
                loop: "partner", run: run, events: 2, isRefresh: false, objects: [:], problems: problems,
                duration: .milliseconds(12)))
    }

    @Test func theStartAndTheEndOfAPauseAreReported() async throws {
        let events = [WatchEvent.paused(since: "2026-11-18T08:06:40.000Z"), .resumed]
        try await withReport { _, report, lines, _ in
            for event in events { report.observer.handler(event) }
            #expect(
                lines.take() == [
                    "demo  paused; end the pause with: mirror resume demo", "demo  continues after the pause",
                ])
        }
        try await withReport(json: true) { _, report, lines, _ in
            for event in events { report.observer.handler(event) }
            #expect(
                lines.take() == [
                    #"{"partner":"demo","since":"2026-11-18T08:06:40.000Z","type":"paused"}"#,
                    #"{"partner":"demo","type":"resumed"}"#,
                ])
        }
    }

    private func delete(_ ids: String..., in store: CatalogueStore) throws {
        _ = try store.apply(ids.map { .tombstone(kind: .artwork, id: $0, evidence: "reported") }, run: nil)
    }

    @Test func aWatchReportsEachNewChangeOnceOldestFirst() async throws {
        try await withReport { store, report, lines, _ in
            try delete("the-night-watch", "the-starry-night", in: store)
            report.observer.handler(page())
            let printed = lines.take()
            #expect(printed.count == 2)
            #expect(printed[0].hasPrefix("demo  - artwork  the-night-watch  "))
            #expect(printed[1].hasPrefix("demo  - artwork  the-starry-night  "))
            report.observer.handler(page(run: nil))
            #expect(lines.take().isEmpty)
        }
    }

    @Test func everyJSONObjectOfAWatchHasThePartner() async throws {
        try await withReport(json: true) { store, report, lines, _ in
            try delete("the-night-watch", in: store)
            report.observer.handler(page())
            report.observer.handler(
                .problem(Problem(what: "object", kind: "artwork", id: "x", message: "M")))
            report.observer.handler(.following(.events, interval: .seconds(30)))
            report.observer.handler(.loopChanged(LoopRecord(id: "partner", kind: .core, state: "backingOff")))
            let objects = try lines.take().map { try #require(try JSONValue(parsing: $0).objectValue) }
            #expect(
                objects.map { $0["type"]?.stringValue } == ["page", "change", "problem", "following", "loop"])
            #expect(objects.allSatisfy { $0["partner"] == "demo" })
            #expect(objects[1]["action"] == "deleted" && objects[1]["id"] == "the-night-watch")
        }
    }

    @Test func aWatchReportsMoreThan500ChangesAsANumber() async throws {
        try await withReport { store, report, lines, _ in
            let records = (0...NewChanges.most).map { number in
                Write.flag(key: "k\(number)", value: "v")
            }
            _ = try store.apply(records, run: nil)
            report.observer.handler(page())
            // Flags are not changes of the catalogue.
            #expect(lines.take().isEmpty)
            let locations = try (0...NewChanges.most).map { number in
                var warnings: [FieldWarning] = []
                let location = JSONObject([("id", .string("place-\(number)"))])
                return Write.object(
                    ObjectRecord(
                        .location, try Location(location, warnings: &warnings), etag: nil))
            }
            _ = try store.apply(locations, run: nil)
            report.observer.handler(page())
            #expect(lines.take() == ["demo  more than 500 changes at once; list them with: mirror log"])
            try delete("the-night-watch", in: store)
            report.observer.handler(page())
            #expect(lines.take().count == 1)
        }
    }

    @Test func aWatchReportsProblemsOnStandardErrorWithoutControlCharacters() async throws {
        try await withReport { _, report, lines, errors in
            report.observer.handler(
                .problem(Problem(what: "object", kind: "artwork", id: "a\u{1B}[2J", message: "Bad\nbody.")))
            #expect(lines.take().isEmpty)
            #expect(errors.take() == ["mirror: demo: artwork a�[2J: Bad body."])
        }
    }

    @Test func aQuietWatchReportsNoChanges() async throws {
        try await withReport(isQuiet: true) { store, report, lines, errors in
            try delete("the-night-watch", in: store)
            report.observer.handler(page())
            report.observer.handler(.syncBegan(.first))
            report.observer.handler(.following(.since, interval: .seconds(60)))
            #expect(lines.take().isEmpty && errors.take().isEmpty)
        }
    }
}

@Suite struct WatchCommandTests {
    @Test func theOptionsOfWatchHaveTheirDefaults() throws {
        let command = try WatchCommand.parse(["louvre", "tate"])
        #expect(
            command.partners == ["louvre", "tate"] && command.interval == nil && command.metricsPort == nil)
        #expect(try WatchCommand.parse(["a", "--interval", "1s"]).interval == .seconds(1))
    }

    @Test(arguments: [
        (["../x"], "partner's name"), (["a", "a"], "named twice"),
        (["a", "--interval", "0"], "at least 1s"),
        (["a", "--interval", "5"], "with its unit"),
        (["a", "b", "--from", "http://x"], "--from works only with one"),
        (["a", "b", "--token-file", "t"], "mirror login"), (["a", "--full"], "Run mirror sync with it"),
        (["a", "--metrics-port", "70000"], "0 to 65535"),
    ])
    func wrongArgumentsOfWatchAreRefusedWithAnExplanation(arguments: [String], words: String) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(["watch"] + arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                && MirrorCommand.message(for: error).contains(words)
        }
    }
}
