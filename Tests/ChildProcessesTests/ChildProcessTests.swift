import Foundation
import Synchronization
import Testing

@testable import ChildProcesses

@Suite("A child process") struct ChildProcessTests {
    private func shell(_ script: String) throws -> (ending: ChildProcess.Ending, text: String) {
        let output = try ChildPipe()
        let process = try ChildProcess(
            "/bin/sh", ["-c", script], input: .nothing, output: .pipe(output), errors: .nothing)
        let data = try output.reading.readToEnd() ?? Data()
        return (process.wait(), String(decoding: data, as: UTF8.self))
    }

    @Test("What it says comes through its pipe, to its end") func output() throws {
        let (ending, text) = try shell(
            "i=0; while [ $i -lt 20000 ]; do echo line; i=$((i + 1)); done; exit 7")
        #expect(text.utf8.count == 100_000)
        #expect(ending.status == 7 && !ending.wasSignalled)
        #expect(ending.seconds > 0 && ending.peak > 500_000)
    }

    @Test("One that a signal ended is told as a shell tells it") func signals() async throws {
        let ending = try shell("kill -KILL $$").ending
        #expect(ending.status == 137 && ending.wasSignalled)
        let process = try ChildProcess("sleep", ["60"])
        #expect(process.endingSoFar == nil)
        process.send(SIGTERM)
        #expect(await process.ending.status == 143)
        #expect(process.endingSoFar?.status == 143 && process.wait().status == 143)
        process.send(SIGTERM)
    }

    @Test("A program that isn't there is an error with a sentence") func missing() {
        let failure = #expect(throws: ChildProcess.Failure.self) { try ChildProcess("/nonexistent/program") }
        #expect(failure?.code == ENOENT)
        #expect(
            failure?.localizedDescription
                == "/nonexistent/program can't be started: No such file or directory.")
    }

    @Test("Arguments and environment arrive byte for byte") func words() throws {
        let output = try ChildPipe()
        let process = try ChildProcess(
            "/bin/sh", ["-c", #"printf '%s|' "$@" "$NAME" "$OTHER""#, "sh", "a b", "", "é'\"$x"],
            environment: ["NAME": "a=b"], output: .pipe(output))
        let data = try output.reading.readToEnd() ?? Data()
        #expect(String(decoding: data, as: UTF8.self) == "a b||é'\"$x|a=b||")
        #expect(process.wait().status == 0)
    }

    @Test("One that may ask on the terminal is of this process's group, all others are of their own")
    func group() throws {
        for group in [ChildGroup.shared, .own, .session] {
            let input = try ChildPipe()
            let process = try ChildProcess("cat", input: .pipe(input), output: .nothing, group: group)
            #expect(getpgid(process.id) == (group == .shared ? getpgrp() : process.id))
            #expect(getsid(process.id) == (group == .session ? process.id : getsid(0)))
            try input.writing.close()
            #expect(process.wait().status == 0)
        }
    }

    @Test("A pipe to one ends though others run that were started later") func pipesAreOnesOwn() throws {
        let input = try ChildPipe(), process = try ChildProcess("cat", input: .pipe(input), output: .nothing)
        let other = try ChildProcess("sleep", ["60"])
        try input.writing.close()
        #expect(process.wait().status == 0)
        #expect(other.endingSoFar == nil)
        other.send(SIGKILL)
        other.wait()
    }

    @Test("Signals that are held back or ignored here have their effect there") func signalsThere() throws {
        // For good: who needs it so may have made it so, too, by the time that it would be taken back.
        signal(SIGPIPE, SIG_IGN)
        let statuses = Mutex<[Int32]>([]), end = DispatchSemaphore(value: 0)
        // In a thread of its own, whose mask nobody else has.
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

    @Test("A handle is read from where it stands; a file is made for what is said") func files() throws {
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
        let whole = try ChildProcess("cat", input: .file(source.path), output: .file(target.path))
        #expect(whole.wait().status == 0)
        #expect(try String(contentsOf: target, encoding: .utf8) == "one two")
    }
}
