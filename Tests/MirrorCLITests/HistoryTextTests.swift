import Catalogue
import Foundation
import MirrorSync
import Testing

@testable import MirrorCLI
@testable import MirrorStore

@Suite("The output of log, diff and status") struct HistoryTextTests {
    static let now = Date(timeIntervalSince1970: 1_795_000_000)  // 2026-11-18T11:06:40Z

    @Test(arguments: [
        ("30m", "2026-11-18T10:36:40.000Z"), ("12h", "2026-11-17T23:06:40.000Z"),
        ("7d", "2026-11-11T11:06:40.000Z"), ("2w", "2026-11-04T11:06:40.000Z"),
        ("0d", "2026-11-18T11:06:40.000Z"), ("2026-11-01", "2026-11-01T00:00:00.000Z"),
        ("2026-11-01T08:30:00Z", "2026-11-01T08:30:00.000Z"),
        ("2026-11-01T08:30:00+02:00", "2026-11-01T06:30:00.000Z"),
        ("2026-11-01 08:30:00Z", "2026-11-01T08:30:00.000Z"),
    ])
    func theOptionSinceAcceptsADateATimeOrAnAge(word: String, time: String) {
        #expect(SinceArgument(argument: word)?.text(now: Self.now) == time)
    }

    @Test(arguments: [
        "", "d", "7", "-7d", "7 d", "1.5d", "7x", "yesterday", "2026-13-01", "99999999999999d", "٣d",
    ])
    func theOptionSinceRefusesOtherWords(word: String) {
        #expect(SinceArgument(argument: word) == nil)
    }

    @Test(arguments: [
        ("12", RunArgument.number(12)), ("0", .number(0)), ("latest", .latest(0)),
        ("Latest-2", .latest(2)),
        ("good", .good),
    ])
    func aRunIsNamedByANumberOrAWord(word: String, run: RunArgument) {
        #expect(RunArgument(argument: word) == run)
    }

    @Test(arguments: [
        "", "-1", "+1", "1.0", "latest-0", "latest-", "latest+1", "best", "99999999999999999999",
    ])
    func otherWordsAreNotParsedAsARun(word: String) {
        #expect(RunArgument(argument: word) == nil)
    }

    private func change(_ before: String?, _ after: String?, list: String? = nil, evidence: String? = nil)
        throws
        -> CatalogueChange
    {
        try CatalogueChange(
            LoggedChange(
                seq: 1, run: 2, at: "2026-11-18T11:06:40.000Z", object: ChangedObject(.artwork, "wave"),
                action: before == nil ? .create : after == nil ? .delete : .update, list: list,
                before: before,
                after: after, evidence: evidence))
    }

    @Test func aChangeIsShownFieldByField() throws {
        let old =
            #"{"id":"wave","title":"The Wave","date":"1831","width":1.0,"images":[{"id":"i"},{"id":"j"}]}"#
        let new =
            #"{"id":"wave","title":"The Great Wave","width":1,"medium":"Woodblock","images":[{"id":"j"},{"id":"k"}]}"#
        #expect(
            ChangeText.lines(try change(old, new)) == [
                "  ~ artwork   wave                          The Great Wave",
                "      date: 1831 → (none)",
                "      images: + k; - i",
                "      medium: (none) → Woodblock",
                "      title: The Wave → The Great Wave",
            ])
    }

    @Test func aDeletionIsShownWithItsEvidence() throws {
        let lines = ChangeText.lines(
            try change(#"{"id":"wave","title":"The Wave"}"#, nil, evidence: "not in /x"))
        #expect(lines == ["  - artwork   wave                          The Wave", "      not in /x"])
    }

    @Test(arguments: [
        (["a", "b"], ["b", "c"], "+ c; - a"), (["a", "b"], ["b", "a"], "in another order"),
        (["a"], ["a"], "unchanged"),
        ([], ["a", "b", "c", "d", "e", "f"], "+ a, b, c, d and 2 more"),
    ])
    func aChangeOfAListIsShownByItsMembers(old: [String], new: [String], text: String) {
        let members = MemberChanges(old: old.map(JSONValue.string), new: new.map(JSONValue.string))
        #expect(ChangeText.text(members) == text)
        #expect(members.isEmpty == (text == "unchanged"))
    }

    @Test func longTextsAreShownFromTheFirstDifference() {
        let same = String(repeating: "word ", count: 20)
        let (old, new) = ChangeText.fitted(same + "one", same + "two", to: 30)
        #expect(old == "…rd word one" && new == "…rd word two")
    }

    @Test func changesAreShownWithoutControlCharacters() throws {
        let lines = ChangeText.lines(
            try change(#"{"title":"a"}"#, #"{"title":"\u001b[31mred\n","\u001b]0;x":1}"#))
        #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func theJSONOfAChangeHasTheDocumentedForm() throws {
        let json = try change(#"{"id":"wave","n":1,"t":"a"}"#, #"{"id":"wave","n":1.0,"u":null}"#).json
        #expect(
            json.canonicalText
                == #"{"action":"updated","at":"2026-11-18T11:06:40.000Z","fields":{"t":["a",null],"u":[null,null]},"id":"wave","kind":"artwork","run":2,"type":"change"}"#
        )
        let list = try change(#"["a","b"]"#, #"["b","c"]"#, list: "artworks").json
        #expect(
            list["lists"]
                == ["artworks": ["added": ["c"], "removed": ["a"], "changed": [], "reordered": false]])
    }

    @Test(arguments: [
        ["log", "paintings"], ["log", "--since", "soon"], ["log", "--limit", "0"],
        ["log", "--runs", "artwork"],
        ["diff"], ["diff", "x", "y"], ["diff", "1", "2", "3"], ["restore", "partner"],
        ["restore", "--undo", "--changed"],
        ["list", "artwork", "--ghosts", "--kept"], ["list", "artwork", "--missing", "--kept"],
        ["list", "artwork", "--missing", "--ghosts"],
    ])
    func wrongUsageOfLogDiffAndRestoreEndsWithCode64(arguments: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
        }
    }

    @Test func theStatusShowsKeptObjectsPendingEditsAndOpenErrors() {
        var status = MirrorStatus(name: "p", place: "/h/p")
        status.origin = "https://x.org/api/v1"
        status.lastGood = "2026-11-18T08:06:40.000Z"
        status.counts = [.artwork: 1_234, .partner: 1]
        status.kept = [.artwork: 2]
        status.pending = (1, 1)
        status.refusals = [RefusedEdit(album: "m", name: "Mine", artwork: "w", reason: "No such artwork.")]
        status.notes = 2
        status.lastRun = CatalogueStore.RunRecord.make(run: 7, outcome: "partial", errors: 4)
        status.problems = [LoggedProblem.make("artwork", "a", "Gone."), LoggedProblem.make(nil, nil, "No.")]
        #expect(
            status.lines(now: Self.now) == [
                "p", "  origin      https://x.org/api/v1",
                "  up to date  3 h ago (2026-11-18 08:06:40 UTC)",
                "  last run    partial, 1 h ago (2026-11-18 10:06:40 UTC)", "  objects     1,234 artworks",
                "  files       0, 0 B", "  kept        2 artworks (restored, not listed by the server since)",
                "  pending     edits of 1 album, pushed by the next sync",
                "  refused     edits of 1 album, by the server",
                "              album m Mine, artwork w: No such artwork.", "  notes       2",
                "  open errors 4 in the last run",
                "              artwork a: Gone.", "              No.",
                "              more: mirror status p --errors",
                "  folder      /h/p",
            ])
        #expect(status.json(now: Self.now)["age"] == 10_800)
        #expect(status.json(now: Self.now)["kept"] == ["artwork": 2])
        #expect(status.json(now: Self.now)["paused"] == .null)
    }

    @Test func `The status shows a guarded run until another sync has decided`() {
        var status = MirrorStatus(name: "p", place: "/h/p")
        status.lastRun = CatalogueStore.RunRecord.make(run: 7, outcome: "complete", errors: 0)
        #expect(status.json(now: Self.now)["guarded_run"] == nil)
        status.undecidedRun = CatalogueStore.RunRecord.make(run: 6, outcome: "guarded", errors: 0)
        #expect(
            status.lines(now: Self.now).contains(
                "  guarded     run 6, 1 h ago (2026-11-18 10:06:40 UTC): it would have removed too much, so it removed nothing. See what: mirror sync p --dry-run"
            ))
        #expect(status.json(now: Self.now)["guarded_run"]?.objectValue?["run"] == 6)
        status.lastRun = CatalogueStore.RunRecord.make(run: 6, outcome: "guarded", errors: 0)
        #expect(!status.lines(now: Self.now).contains { $0.hasPrefix("  guarded ") }, "the last run says it")
    }

    @Test func theStatusShowsThePauseOfAWatchAndHowToEndIt() {
        var status = MirrorStatus(name: "p", place: "/h/p")
        status.pausedAt = "2026-11-18T08:06:40.000Z"
        #expect(
            status.lines(now: Self.now).contains(
                "  paused      3 h ago (2026-11-18 08:06:40 UTC). End the pause with: mirror resume p"))
        #expect(status.json(now: Self.now)["paused"] == "2026-11-18T08:06:40.000Z")
    }
}

extension CatalogueStore.RunRecord {
    fileprivate static func make(run: Int64, outcome: String, errors: Int) -> Self {
        CatalogueStore.RunRecord(
            run: run, command: "sync", startedAt: "2026-11-18T10:06:40.000Z", endedAt: nil, outcome: outcome,
            errors: errors)
    }
}

extension LoggedProblem {
    fileprivate static func make(_ kind: String?, _ id: String?, _ message: String) -> LoggedProblem {
        LoggedProblem(what: "object", kind: kind, id: id, message: message)
    }
}
