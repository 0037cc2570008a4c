import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync
import Synchronization
import Testing

@testable import MirrorCLI

@Suite struct DurationArgumentTests {
    @Test(arguments: [
        ("0", 0), ("0s", 0), ("30s", 30), ("5m", 300), ("2h", 7_200), ("7d", 604_800), ("3w", 1_814_400),
        ("6mo", 15_552_000), ("2y", 63_072_000), ("1H", 3_600), ("90m", 5_400), ("1000y", 31_536_000_000),
    ])
    func aNumberWithAUnitIsADuration(text: String, seconds: Int) {
        #expect(DurationArgument(text)?.duration == .seconds(seconds))
    }

    @Test(arguments: [
        "", "7", "s", "d7", "7 d", "-1h", "+1h", "1.5h", "1h30m", "7x", "1001y", "99999999999999999999s",
        "٧d", "0x",
    ])
    func anythingElseIsNotADuration(text: String) {
        #expect(DurationArgument(text) == nil)
    }

    @Test func theDurationsOfSyncAreParsed() throws {
        let command = try SyncCommand.parse([
            "cmoa", "--home", "/h", "--max-wait", "90s", "--fail-fast", "--audit-every", "0", "--keep-shows",
            "2y",
        ])
        let options = try command.options()
        #expect(options.maxWait == .seconds(90) && options.failFast && options.auditEvery == .zero)
        #expect(options.keepShows == .seconds(2 * 365 * 86_400))
    }

    @Test func syncUsesTheLibrarysDefaultDurations() throws {
        let options = try SyncCommand.parse(["cmoa", "--home", "/h"]).options()
        #expect(options.maxWait == .seconds(3_600) && options.auditEvery == .seconds(7 * 86_400))
        #expect(options.keepShows == nil && !options.failFast)
    }

    @Test(arguments: [
        (["--max-wait", "7"], "Give a number with its unit, such as 30s, 5m, 2h, 7d, 3w, 6mo or 2y."),
        (["--audit-every", "often"], "Give a number with its unit, such as 30s, 5m, 2h, 7d, 3w, 6mo or 2y."),
        (["--keep-shows", "2m"], "The time must be at least 1d; write months as mo, as in 6mo."),
    ])
    func aWrongDurationIsExplainedInOneSentence(arguments: [String], sentence: String) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(["sync", "cmoa"] + arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                && MirrorCommand.message(for: error).contains(sentence)
        }
    }
}

@Suite struct WaitingTextTests {
    @Test(arguments: [
        (
            Waiting(.trouble, status: 500, left: .seconds(42)),
            "waiting 42 s for the partner's server, which reports a failure (500)"
        ),
        (
            Waiting(.overloaded, status: 503, left: .seconds(9.2)),
            "waiting 10 s for the partner's server, which is overloaded (503)"
        ),
        (
            Waiting(.unexpected, status: 404, left: .seconds(0.1)),
            "waiting 1 s for the partner's server, which gives an unexpected status (404)"
        ),
        (
            Waiting(.silent, left: .seconds(59.5)),
            "waiting 1 min for the partner's server, which doesn't answer"
        ),
        (
            Waiting(.throttled, left: .seconds(75)),
            "waiting 1 min 15 s for the partner's server, which asks to slow down"
        ),
    ])
    func aWaitForAServerIsShownAsASentence(waiting: Waiting, sentence: String) {
        #expect(WaitingText.sentence(waiting) == sentence)
        #expect(WaitingText.progress(waiting) == sentence)
    }

    @Test func theMessageAtTheStartOfAWaitNamesTheRequestAndTheOptions() {
        let waiting = Waiting(
            .overloaded, status: 503, left: .seconds(10), cause: "answered 503 for /partner/p/albums")
        #expect(
            WaitingText.begun(waiting)
                == "waiting 10 s for the partner's server, which is overloaded (503): it answered 503 for /partner/p/albums. --max-wait limits the waits, --fail-fast skips them"
        )
        #expect(
            WaitingText.progress(waiting)
                == "waiting 10 s for the partner's server, which is overloaded (503)")
    }

    @Test func aWaitOfLessThanASecondIsNotShown() {
        #expect(WaitingText.progress(Waiting(.throttled, left: .seconds(0.9))) == nil)
    }

    @Test func aWaitIsPrintedAsAJSONObject() {
        #expect(
            RunReport.object(.waiting(Waiting(.trouble, status: 500, left: .seconds(60)))).canonicalText
                == #"{"message":"waiting 1 min for the partner's server, which reports a failure (500)","reason":"trouble","seconds":60.0,"status":500,"type":"waiting"}"#
        )
        #expect(RunReport.object(.waiting(Waiting(.silent, left: .seconds(10))))["status"] == nil)
    }

    private static let state: ProgressState = {
        var state = ProgressState(requests: 12, bytes: 3_400, elapsed: 72)
        state.underWay = "artwork water-lilies"
        state.waiting = "waiting 42 s for the partner's server, which is overloaded (503)"
        return state
    }()

    @Test func everyStyleOfProgressShowsAWait() {
        let sentence = "waiting 42 s for the partner's server, which is overloaded (503)"
        #expect(ProgressBlock(width: 80).lines(Self.state).last == sentence)
        #expect(ProgressTree(width: 80).lines([:], footer: Self.state).last == sentence)
        #expect(ProgressLine.text(Self.state) == "1:12  3.4 kB, 0 B/s, 12 requests; \(sentence)")
    }

    @Test func aTreeThatDoesNotFitTheScreenStillShowsTheWait() {
        let lines = ProgressTree(width: 80, height: 10).lines([:], footer: Self.state)
        #expect(
            lines.count == 10 && lines.first?.hasPrefix("Sync ") == true && lines.last == Self.state.waiting)
        #expect(ProgressTree(width: 80, height: 1).lines([:], footer: Self.state).last == Self.state.waiting)
    }

    @Test func aNarrowScreenTruncatesTheWait() {
        #expect(ProgressBlock(width: 30).lines(Self.state).allSatisfy { $0.columns < 30 })
    }

    @Test(arguments: [false, true])
    func aWaitIsReportedOnStandardErrorUnlessQuiet(isQuiet: Bool) throws {
        let lines = Mutex<[String]>([])
        let screen = Screen(
            isTerminal: false, hasColour: false, size: { (80, 24) },
            write: { line in lines.withLock { $0.append(line) } })
        let report = RunReport(
            results: Results(output: LineOutput(isImmediate: true) { _ in nil }, isJSON: false),
            screen: screen, isQuiet: isQuiet, folder: try MirrorHome(path: "/h").mirror("p"))
        report.add(.waiting(Waiting(.silent, left: .seconds(10))))
        let expected = ["mirror: waiting 10 s for the partner's server, which doesn't answer\n"]
        #expect(lines.withLock { $0 } == (isQuiet ? [] : expected))
    }
}
