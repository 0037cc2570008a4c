import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("Hooks before and after the tree of a run", .limitedConcurrency)
struct HookTests {
    private final class Recorder: Sendable {
        private let lines = Mutex<[String]>([])
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// A hook that records its calls, and fails if the test wants that.
    private func hook(
        _ name: String, _ recorder: Recorder, failsBefore: Bool = false, failsAfter: Bool = false
    ) -> SyncHook {
        SyncHook(name: name) { _ in
            recorder.note("before \(name)")
            if failsBefore { throw StoreError(.unexpected, "\(name) can't begin.") }
        } after: { _, summary in
            // With the number of problems that it sees.
            recorder.note("after \(name) \(summary.problems.count)")
            if failsAfter { throw StoreError(.unexpected, "\(name) can't end.") }
        }
    }

    private func context(
        _ home: TemporaryHome, keepAwake: KeepAwake? = nil, freeSpace: FreeSpace = .system
    )
        throws -> HookContext
    {
        HookContext(
            command: "sync", partner: "p", folder: try home.mirror("p"),
            keepAwake: keepAwake, freeSpace: freeSpace)
    }

    @Test func standardHooksHaveTheDocumentedOrder() {
        #expect(
            SyncHooks.standard.map(\.name) == [
                "lock", "admission", "log", "on-change", "files", "search index", "keep awake", "free space",
            ])
    }

    @Test func hooksRunInOrderBeforeTheTreeAndInReverseOrderAfterIt() async throws {
        let recorder = Recorder(), home = try TemporaryHome()
        let hooks = ["a", "b"].map { hook($0, recorder) }
        let summary = try await SyncHooks.around(context(home), hooks) {
            recorder.note("tree")
            return SyncSummary(partner: "p", outcome: .complete)
        }
        #expect(recorder.all == ["before a", "before b", "tree", "after b 0", "after a 0"])
        #expect(summary.problems.isEmpty)
    }

    @Test func aHookThatFailsAfterTheTreeIsReportedAndUndoesNothing() async throws {
        let recorder = Recorder(), home = try TemporaryHome()
        let hooks = [
            hook("a", recorder), hook("b", recorder, failsAfter: true),
        ]
        let reported = Mutex<[Problem]>([])
        let summary = try await SyncHooks.around(
            context(home), hooks, report: { problem in reported.withLock { $0.append(problem) } }
        ) { SyncSummary(partner: "p", outcome: .complete) }
        #expect(summary.outcome == .complete)
        #expect(summary.problems.map(\.message) == ["b can't end."] && summary.problems[0].id == "b")
        #expect(reported.withLock { $0 } == summary.problems)
        // Hooks that end later, such as the log, see the problem.
        #expect(recorder.all.last == "after a 1")
    }

    @Test func aHookThatFailsBeforeTheTreeEndsTheRunAndTheHooksThatHadBegun() async throws {
        let recorder = Recorder(), home = try TemporaryHome()
        let hooks = [
            hook("a", recorder), hook("b", recorder, failsBefore: true),
            hook("c", recorder),
        ]
        await #expect(throws: StoreError.self) {
            _ = try await SyncHooks.around(context(home), hooks) {
                recorder.note("tree")
                return SyncSummary(partner: "p", outcome: .complete)
            }
        }
        #expect(recorder.all == ["before a", "before b", "after a 0"])
    }

    /// Updating the search index for a million artworks adds a quarter to a run's duration. The command of `--on-change` is
    /// not a part of the run.
    @Test func theDurationOfARunIncludesItsHooksExceptTheOnChangeCommand() async throws {
        let recorder = Recorder(), home = try TemporaryHome(), clock = VirtualClock()
        func slow(_ seconds: Double, belongsToRun: Bool = true) -> SyncHook {
            SyncHook(
                name: "slow", belongsToRun: belongsToRun,
                after: { _, summary in
                    recorder.note("\(summary.seconds)")
                    clock.advance(by: .seconds(seconds))
                })
        }
        let hooks = [slow(1), slow(600, belongsToRun: SyncHook.onChange.belongsToRun), slow(20)]
        let context = HookContext(
            command: "sync", partner: "p", folder: try home.mirror("p"),
            now: { clock.now })
        let summary = try await SyncHooks.around(context, hooks) {
            clock.advance(by: .seconds(80))
            return SyncSummary(partner: "p", outcome: .complete)
        }
        #expect(recorder.all == ["80.0", "100.0", "100.0"])
        #expect(summary.seconds == 101)
    }

    // MARK: - Keep awake

    @Test func theMachineIsKeptAwakeFromBeforeTheTreeToAfterIt() async throws {
        let recorder = Recorder(), home = try TemporaryHome()
        let awake = KeepAwake { reason in
            recorder.note("awake: \(reason)")
            return { recorder.note("asleep") }
        }
        _ = try await SyncHooks.around(context(home, keepAwake: awake), [.keepAwake]) {
            recorder.note("tree")
            return SyncSummary(partner: "p", outcome: .failed)
        }
        #expect(recorder.all == ["awake: sync of p", "tree", "asleep"])
    }

    @Test func aRunContinuesIfSleepCannotBePrevented() async throws {
        let home = try TemporaryHome()
        for awake in [nil, KeepAwake { _ in nil }] {
            let summary = try await SyncHooks.around(context(home, keepAwake: awake), [.keepAwake]) {
                SyncSummary(partner: "p", outcome: .complete)
            }
            #expect(summary.problems.isEmpty)
        }
    }

    @Test func systemdInhibitIsUsedOnlyIfItIsInstalledAndASessionBusExists() {
        let bus = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1/bus"]
        #expect(
            SleepInhibitor.program(environment: bus) { $0 == "/bin/systemd-inhibit" }
                == "/bin/systemd-inhibit")
        #expect(SleepInhibitor.program(environment: bus) { _ in false } == nil)
        #expect(SleepInhibitor.program(environment: [:]) { _ in true } == nil)
        #expect(SleepInhibitor.arguments(reason: "sync of p").contains("--why=sync of p"))
    }

    @Test func theChildThatPreventsSleepEndsWhenItsPipeIsClosed() async throws {
        // A script replaces systemd-inhibit: it ends when its input is closed, and writes a file before it ends.
        let folder = try TemporaryFolder(), script = folder.file("inhibit"), mark = folder.file("mark")
        let fifo = folder.file("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        try Data("#!/bin/sh\ncat >/dev/null\necho ended > \(mark)\necho done > \(fifo)\n".utf8).write(
            to: URL(filePath: script))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let release = try #require(SleepInhibitor.begin(script, reason: "test"))
        #expect(!FileManager.default.fileExists(atPath: mark))
        release()
        release()
        // This blocks until the child writes.
        let output = try await OffloadedThread.run { try FileHandle(forReadingAtPath: fifo)?.readToEnd() }
        #expect(output == Data("done\n".utf8))
        #expect(FileManager.default.fileExists(atPath: mark))
        #expect(SleepInhibitor.begin("/nonexistent", reason: "test") == nil)
    }

    // MARK: - Free space

    @Test func anAlmostFullDiskFailsTheCheckBeforeARunBegins() throws {
        let full = FreeSpace { _ in 16 << 20 - 1 }, roomy = FreeSpace { _ in 17 << 20 }
        #expect { try full.checkMinimum(at: "/d") } throws: { ($0 as? StoreError)?.code == .diskFull }
        try roomy.checkMinimum(at: "/d")
        try FreeSpace { _ in nil }.checkMinimum(at: "/d")
    }

    @Test func aDownloadMustFitIntoTheFreeSpaceLessTheMinimum() throws {
        let disk = FreeSpace { _ in 100 << 20 }
        try disk.check(0, at: "/d")
        try disk.check(84 << 20, at: "/d")
        #expect { try disk.check(84 << 20 + 1, at: "/d") } throws: {
            "\($0)".contains("88.1 MB have to be fetched") && "\($0)".contains("104.9 MB left")
        }
    }

    @Test func aSyncFailsBeforeTheFirstPictureIsRequestedIfTheDiskIsTooSmall() async throws {
        let partner = FakePartner { state in
            state.artwork("a", image: "i")
            state.files["/artwork/a/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1]
            state.overrides["/partner/p/size"] = .text(#"{"total":2000000000}"#)
        }
        func sync(formats: PictureFormats?) async throws -> SyncSummary {
            var options = SyncOptions()
            (options.synchronous, options.formats) = (true, formats)
            let mirror = try TestMirror(partner)
            return try await Sync(
                partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
                freeSpace: FreeSpace { _ in 1_000_000_000 }
            ) { base, cache in
                try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
            }.run()
        }
        let summary = try await sync(formats: nil)
        #expect(summary.outcome == .failed)
        #expect(summary.failure?.contains("2.0 GB have to be fetched") == true, "\(summary.failure ?? "")")
        #expect(!partner.takeRequests().contains { $0.contains("larger.jpg") })
        // The stated size is that of the default formats, so it isn't checked for others.
        #expect(try await sync(formats: ["larger"]).outcome == .complete)
    }

    // MARK: - On change

    private func sync(_ partner: FakePartner, onChange command: String) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        let mirror = try TestMirror(partner)
        return try await Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
            onChange: OnChangeCommand(command)
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }.run()
    }

    private let partner = FakePartner { state in
        state.artwork("a", title: "$(touch /tmp/never); `id`")
        state.objects["/partner/p/all"] = #"{"id":"p","name":"$(exit 9) ; exit 9"}"#
    }

    @Test func theOnChangeCommandReadsTheSummaryFromItsInput() async throws {
        let folder = try TemporaryFolder(), file = folder.file("summary.json")
        let summary = try await sync(partner, onChange: "cat > \(file)")
        #expect(summary.problems.isEmpty)
        let json = try JSONValue(parsing: folder.contents("summary.json") ?? [])
        #expect(json.objectValue?["type"] == "summary" && json.objectValue?["outcome"] == "complete")
        #expect(json.objectValue?["objects"]?.objectValue?["artwork"]?.objectValue?["created"] == 1)
    }

    @Test func aFailedOnChangeCommandIsReportedAndTheMirrorStays() async throws {
        let summary = try await sync(partner, onChange: "exit 3")
        #expect(summary.outcome == .complete && summary.objects["artwork"]?.created == 1)
        #expect(summary.problems.map(\.id) == ["on-change"])
        #expect(summary.problems.first?.message.contains("status 3") == true)
    }

    @Test func anOnChangeCommandThatDoesNotReadItsInputIsNoError() async throws {
        #expect(try await sync(partner, onChange: "exec true").problems.isEmpty)
    }
}
