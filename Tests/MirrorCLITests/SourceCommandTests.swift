import ArgumentParser
import Catalogue
import ChildProcesses
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import CatalogueSources
@testable import MirrorCLI
@testable import MirrorSync

@Suite struct SourceCommandTests {
    private let folder: TemporaryFolder

    private var home: String { folder.file("home") }

    init() throws { folder = try TemporaryFolder() }

    private static let tiny = """
        source: tiny
        title: A Tiny Museum
        base: https://api.example.org
        artworks:
          list: { form: whole, get: /works, rows: "SELECT value ->> 'id' AS id, value AS object FROM json_each(:body)" }
          object: { get: "/works/{id}", is: "SELECT :body ->> 'id'", row: "SELECT :body ->> 'name' AS title" }
        """

    /// Writes a file of a source, and returns its path.
    @discardableResult
    private func write(_ name: String, _ text: String) throws -> String {
        let sources = "\(home)/sources"
        try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
        let path = "\(sources)/\(name).yaml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private var sources: SourceFolder { MirrorHome(path: home).sources }

    // MARK: - The list

    @Test func builtInSourcesAreListedWithTheirFigures() throws {
        let entries = try SourceFolder(nil).entries().map(SourceEntry.init)
        let lines = SourceListText.lines(entries).map(LighthouseCheck.collapsed)
        #expect(lines.first == "name title works licence rate a first copy")
        #expect(
            lines.contains(
                "met The Metropolitan Museum of Art 498,000 CC0-1.0 1/s, 80,000 a day about 498,000 requests, about 6 days"
            ))
        let met = try #require(entries.first { $0.name == "met" }).json
        #expect(met["type"] == "source")
        #expect(met["built_in"] == true)
        #expect(met["works"] == 498_000)
        #expect(met["requests_per_second"]?.numberValue?.doubleValue == 1)
        #expect(met["first_copy_requests"] == 498_001)
    }

    @Test func aFileWithAnErrorIsListedWithItAndHidesNoOther() throws {
        try write("tiny", Self.tiny)
        let path = try write(
            "wrong",
            Self.tiny.replacing("source: tiny", with: "source: wrong").replacing("form:", with: "from:"))
        let entries = try sources.entries().map(SourceEntry.init)
        #expect(entries.map(\.name) == ["artic", "cleveland", "met", "smk", "tiny", "wrong"])
        let lines = SourceListText.lines(entries)
        #expect(lines.contains { LighthouseCheck.collapsed($0) == "tiny A Tiny Museum" })
        #expect(lines.last?.hasPrefix("wrong can't be used: \(path):5:") == true)
        #expect(lines.last?.contains("Did you mean \"form\"?") == true)
        #expect(entries.last?.json["error"] != nil)
        #expect(entries.last?.json["title"] == nil)
    }

    @Test func anErrorInTheSQLOfAFileIsListedToo() throws {
        try write("tiny", Self.tiny.replacing("json_each(:body)", with: "works"))
        let entry = try #require(try sources.entries().map(SourceEntry.init).last)
        #expect(entry.description == nil)
        #expect(entry.error?.position?.line == 5)
    }

    @Test(
        arguments: [
            (2.5, 60, nil, "2.5/min"), (1, 1, 80_000, "1/s, 80,000 a day"), (nil, 1, nil, ""),
            (1_000, 86_400, nil, "1,000/d"),
        ] as [(Double?, Int, Int?, String)])
    func aRateIsPrintedAsADescriptionWritesIt(requests: Double?, interval: Int, day: Int?, text: String) {
        var rate = RequestRate()
        (rate.requests, rate.interval, rate.perDay) = (requests, .seconds(interval), day)
        #expect(SourceListText.rate(rate) == text)
    }

    // MARK: - Show

    @Test func aDescriptionIsPrintedExactlyExceptForEscapesOnATerminal() {
        let text = "a: 1\r\n\tb: \u{1B}[31m2\n"
        #expect(SourceShowCommand.lines(text, isTerminal: false) == ["a: 1\r\n\tb: \u{1B}[31m2"])
        #expect(SourceShowCommand.lines("a\r\n", isTerminal: false) == ["a\r"])
        #expect(SourceShowCommand.lines(text, isTerminal: true) == ["a: 1", " b: \u{FFFD}[31m2"])
    }

    // MARK: - Check

    @Test(arguments: [
        ("met", false), ("./met", true), ("museum.yaml", true), ("a/b", true), ("b.yml", false),
    ])
    func aNameWithASlashOrTheEndingOfAFileIsAFile(text: String, isFile: Bool) {
        #expect(SourceChoice(text).isFile == isFile)
    }

    @Test func anUnknownNameIsReportedWithTheNearestOne() throws {
        let error = #expect(throws: SourceDescriptionError.self) {
            try SourceChoice("clevland").reader(sources, base: nil)
        }
        #expect(error?.description.contains("Did you mean \"cleveland\"?") == true)
    }

    @Test func anErrorInAFileHasItsPlace() throws {
        let path = try write("tiny", Self.tiny.replacing("AS title", with: "AS title FROM works"))
        let error = #expect(throws: SourceDescriptionError.self) {
            try SourceChoice(path).reader(sources, base: nil)
        }
        #expect(error?.description.hasPrefix("\(path):6:") == true)
        #expect(ExitStatus(error: try #require(error)) == .usage)
    }

    @Test func anotherBaseReplacesThatOfTheDescription() throws {
        let reader = try SourceChoice("met").reader(sources, base: "http://127.0.0.1:8001/")
        #expect(reader.description.base == "http://127.0.0.1:8001")
        #expect(reader.file == "met.yaml")
    }

    @Test(arguments: [["--from", "museum.org"], ["--from", "https://me:sesame@x.org"], ["--id", ""]])
    func badOptionsOfACheckAreRefused(options: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(["source", "check", "met"] + options)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                && !MirrorCommand.message(for: error).contains("sesame")
        }
    }

    // MARK: - Options of a sync

    @Test(
        arguments: [
            ("10/s", SourceOptions.Rate(10, per: .seconds(1))), ("2.5/h", .init(2.5, per: .seconds(3_600))),
            ("10", nil), ("nan/s", nil), ("0/s", nil), ("10001/s", nil), ("1/week", nil),
        ] as [(String, SourceOptions.Rate?)])
    func theRateOfASyncIsWrittenAsInADescription(text: String, rate: SourceOptions.Rate?) {
        #expect((try? SourceChoices.rate(text)) == rate)
    }

    /// A value that begins like an option is read as the value, so that the message says what is wrong with it.
    @Test(arguments: [
        ("--rate", "-1/s", "Give --rate as a number per"),
        ("--jobs", "-1", "--jobs must be a number from 1 to 256."),
        ("--max-wait", "-1", "30s, 5m"), ("--max-delete", "-5", "Give a share such as 20%"),
    ])
    func aNegativeNumberIsRefusedWithTheFormOfTheOption(option: String, value: String, message: String) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(["sync", "met", option, value])
        } throws: { error in
            MirrorCommand.fullMessage(for: error).contains(message)
                && !MirrorCommand.message(for: error).contains("Missing value")
        }
    }

    @Test func aMirrorHasOneSource() throws {
        #expect(try SyncCommand.parse(["x", "--source", "met"]).sources.source == "met")
        #expect(try SyncCommand.parse(["x"]).sources.source == nil)
        for command in ["sync", "watch"] {
            #expect {
                _ = try MirrorCommand.parseAsRoot([command, "x", "--source", "met", "--source", "artic"])
            } throws: { error in
                MirrorCommand.message(for: error).contains("Give --source once")
            }
        }
    }

    // MARK: - Completion

    @Test func theNamesOfSourcesAreCompleted() throws {
        try write("tiny", Self.tiny)
        try write("b c", "")
        let words = ["mirror", "source", "show", "--home", home]
        #expect(
            SourceNames.completions(words, environment: [:]) == ["artic", "cleveland", "met", "smk", "tiny"])
        #expect(
            SourceNames.completions(["mirror"], environment: ["MIRROR_HOME": "/nowhere"])
                == ["artic", "cleveland", "met", "smk"])
    }

    // MARK: - The program

    private func run(_ arguments: String...) async throws -> (status: Int32, text: String) {
        let output = try ChildPipe()
        let process = try ChildProcess(
            BuiltProgram.path, arguments + ["--home", home], environment: BuiltProgram.environment,
            output: .pipe(output), errors: .nothing)
        let text = String(decoding: try output.reading.readToEnd() ?? Data(), as: UTF8.self)
        return (await process.ending.status, text)
    }

    @Test(.enabled(if: BuiltProgram.isBuilt, "The binary is not built beside the tests."))
    func theProgramListsAndShowsSources() async throws {
        let show = try await run("source", "show", "met")
        #expect(show.status == 0)
        #expect(show.text == BuiltInSource.all.first { $0.name == "met" }?.text)
        let list = try await run("sources", "--json")
        #expect(list.status == 0)
        #expect(list.text.split(separator: "\n").count == 5)
        #expect(list.text.contains(#""outcome":"complete","sources":4"#))
        try write("wrong", "source: wrong\n")
        let failed = try await run("sources", "--json")
        #expect(failed.status == ExitStatus.usage.rawValue)
        #expect(failed.text.contains(#""name":"wrong""#))
        #expect(failed.text.contains(#""failed":1"#))
    }

    @Test(.enabled(if: BuiltProgram.isBuilt, "The binary is not built beside the tests."))
    func aCheckThatCannotBeginEndsWithItsExitCodeAndASummary() async throws {
        let wrong = try write("wrong", "source: wrong\n")
        let first = try await run("source", "check", wrong, "--json")
        #expect(first.status == ExitStatus.usage.rawValue)
        #expect(first.text.contains(#""type":"summary""#))
        let keyed = try write("tiny", "key: { query: k, env: MIRROR_KEY_TINY }\n" + Self.tiny)
        let second = try await run("source", "check", keyed, "--json")
        #expect(second.status == ExitStatus.failed.rawValue)
        #expect(second.text.contains("MIRROR_KEY_TINY isn't set"))
        let kind = try await run("source", "check", "met", "--kind", "show")
        #expect(kind.status == ExitStatus.usage.rawValue)
    }
}
