import Foundation
import Synchronization
import Testing

@testable import ChildProcesses

@Suite struct ChildProcessTests {
    private func shell(_ script: String) throws -> (ending: ChildProcess.Ending, text: String) {
        let output = try ChildPipe()
        let process = try ChildProcess(
            "/bin/sh", ["-c", script], input: .nothing, output: .pipe(output), errors: .nothing)
        let data = try output.reading.readToEnd() ?? Data()
        return (process.wait(), String(decoding: data, as: UTF8.self))
    }

    @Test func aChildsOutputArrivesCompletelyThroughItsPipe() throws {
        let (ending, text) = try shell(
            "i=0; while [ $i -lt 20000 ]; do echo line; i=$((i + 1)); done; exit 7")
        #expect(text.utf8.count == 100_000)
        #expect(ending.status == 7 && !ending.wasSignalled)
        #expect(ending.seconds > 0 && ending.peak > 500_000)
    }

    @Test func theStatusOfAChildEndedByASignalIs128PlusTheSignal() async throws {
        let ending = try shell("kill -KILL $$").ending
        #expect(ending.status == 137 && ending.wasSignalled)
        let process = try ChildProcess("sleep", ["60"])
        #expect(process.endingIfEnded == nil)
        process.send(SIGTERM)
        #expect(await process.ending.status == 143)
        #expect(process.endingIfEnded?.status == 143 && process.wait().status == 143)
        process.send(SIGTERM)
    }

    @Test func startingAMissingProgramThrowsAReadableError() {
        let failure = #expect(throws: ChildProcess.Failure.self) { try ChildProcess("/nonexistent/program") }
        #expect(failure?.code == ENOENT)
        #expect(
            failure?.localizedDescription
                == "/nonexistent/program can't be started: No such file or directory.")
    }

    @Test func argumentsAndEnvironmentReachAChildUnchanged() throws {
        let output = try ChildPipe()
        let process = try ChildProcess(
            "/bin/sh", ["-c", #"printf '%s|' "$@" "$NAME" "$OTHER""#, "sh", "a b", "", "é'\"$x"],
            environment: ["NAME": "a=b"], output: .pipe(output))
        let data = try output.reading.readToEnd() ?? Data()
        #expect(String(decoding: data, as: UTF8.self) == "a b||é'\"$x|a=b||")
        #expect(process.wait().status == 0)
    }

    @Test func onlyAChildOfTheSharedGroupIsInThisProcessesGroup() throws {
        for group in [ChildGroup.shared, .own, .session] {
            let input = try ChildPipe()
            let process = try ChildProcess("cat", input: .pipe(input), output: .nothing, group: group)
            #expect(getpgid(process.id) == (group == .shared ? getpgrp() : process.id))
            #expect(getsid(process.id) == (group == .session ? process.id : getsid(0)))
            try input.writing.close()
            #expect(process.wait().status == 0)
        }
    }

    @Test func closingAPipeEndsAChildsInputWhileLaterChildrenRun() throws {
        let input = try ChildPipe(), process = try ChildProcess("cat", input: .pipe(input), output: .nothing)
        let other = try ChildProcess("sleep", ["60"])
        try input.writing.close()
        #expect(process.wait().status == 0)
        #expect(other.endingIfEnded == nil)
        other.send(SIGKILL)
        other.wait()
    }

    @Test func signalsBlockedOrIgnoredInThisProcessStillEndAChild() throws {
        // SIGPIPE stays ignored after the test, because other code in this process may rely on that.
        signal(SIGPIPE, SIG_IGN)
        let statuses = Mutex<[Int32]>([]), end = DispatchSemaphore(value: 0)
        // A separate thread, so that the signal mask affects no other test.
        Thread.detachNewThread {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            for signal in [SIGTERM, SIGINT, SIGPIPE] {
                let status = try? shell("kill -\(signal) $$; exit 0").ending.status
                statuses.withLock { $0.append(status ?? -1) }
            }
            end.signal()
        }
        end.wait()
        #expect(statuses.withLock { $0 } == [143, 130, 141])
    }

    @Test func aHandleIsReadFromItsOffsetAndAnOutputFileIsCreatedOrTruncated() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "source"), target = folder.appending(path: "target")
        try Data("one two".utf8).write(to: source)
        let handle = try FileHandle(forReadingFrom: source)
        try handle.seek(toOffset: 4)
        let process = try ChildProcess("cat", input: .handle(handle), output: .file(target.path))
        #expect(process.wait().status == 0)
        #expect(try String(contentsOf: target, encoding: .utf8) == "two")
        #expect(try handle.offset() == 7)
        try handle.close()
        let second = try ChildProcess("cat", input: .file(source.path), output: .file(target.path))
        #expect(second.wait().status == 0)
        #expect(try String(contentsOf: target, encoding: .utf8) == "one two")
    }
}
