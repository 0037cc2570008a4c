import ChildProcesses
import Foundation
import MirrorTesting
import Testing

@testable import MirrorCLI

/// Tests of the checks before a command begins: the bytes of the arguments, and the limits of the system.
@Suite("Checks before a command begins") struct ProcessStartTests {
    private static let latin1 = Array("caf".utf8) + [0xE9]

    @Test func argumentsInUTF8AreAccepted() {
        let input = InputBytes(
            arguments: [Array("--home".utf8), Array("/café/été".utf8), []],
            environment: ["HOME": Array("/home/zoë".utf8), "MIRROR_HOME": []], folder: Array("/tmp/ü".utf8))
        #expect(input.fault == nil)
        #expect(InputBytes.current().fault == nil)
    }

    @Test(arguments: [
        (InputBytes(arguments: [Array("list".utf8), latin1], environment: [:], folder: []), "argument"),
        // A surrogate, and an overlong encoding of a slash.
        (InputBytes(arguments: [[0xED, 0xA0, 0x80]], environment: [:], folder: []), "argument"),
        (InputBytes(arguments: [[0xC0, 0xAF]], environment: [:], folder: []), "argument"),
        (InputBytes(arguments: [], environment: ["HOME": latin1], folder: []), "variable HOME"),
        (InputBytes(arguments: [], environment: ["SSL_CERT_FILE": latin1], folder: []), "SSL_CERT_FILE"),
        (InputBytes(arguments: [], environment: [:], folder: latin1), "current folder"),
    ])
    func theMessageNamesTheInputThatIsNotUTF8(input: InputBytes, word: String) throws {
        #expect(try #require(input.fault).contains(word))
    }

    @Test func bytesThatAreNotUTF8AreShownInHexadecimal() {
        #expect(InputBytes.visible(Self.latin1 + [0x1B, 0x07]) == "caf\\xE9\\x1B\\x07")
    }

    @Test func onlyMissingFilesAndThreadsAreReported() {
        let limits = ProcessLimits(files: 128, threads: 22)
        #expect(limits.shortage(limits) == nil)
        let files = limits.shortage(ProcessLimits(files: 17, threads: 22))
        #expect(files?.contains("17 more files") == true && files?.contains("ulimit -n") == true)
        let threads = limits.shortage(ProcessLimits(files: 128, threads: 5))
        #expect(threads?.contains("5 more threads") == true && threads?.contains("ulimit -u") == true)
    }

    @Test func theCheckOfTheLimitsReleasesItsFilesAndThreads() {
        for _ in 0..<3 {
            #expect(ProcessLimits.openable(8) == 8)
            #expect(ProcessLimits.startable(4) == 4)
        }
        #expect(ProcessLimits.openable(0) == 0 && ProcessLimits.startable(0) == 0)
    }

    @Test func moreSimultaneousRequestsNeedMoreFilesAndMoreProcessorsMoreThreads() {
        let few = ProcessLimits.working(jobs: 1, processors: 1)
        let many = ProcessLimits.working(jobs: 256, processors: 64)
        #expect(few.files < many.files && few.threads < many.threads)
        // An ordinary limit of 1,024 files is enough for all of them.
        #expect(many.files < 1_000)
        let reading = ProcessLimits.reading(processors: 1)
        #expect(reading.files < few.files && reading.threads < few.threads)
    }

    // MARK: - The built command

    private func run(_ script: String, _ arguments: [String]) async throws -> (status: Int32, text: String) {
        let errors = try ChildPipe()
        let process = try ChildProcess(
            "/bin/sh", ["-c", script, BuiltProgram.path] + arguments, environment: BuiltProgram.environment,
            output: .nothing, errors: .pipe(errors))
        let text = String(decoding: try errors.reading.readToEnd() ?? Data(), as: UTF8.self)
        return (await process.ending.status, text)
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func anArgumentThatIsNotUTF8IsWrongUsageAndNothingIsWritten() async throws {
        let folder = try TemporaryFolder()
        let script = #"exec "$0" sync demo --no-media --home "$1/$(printf 'caf\351')""#
        let ended = try await run(script, [folder.path])
        #expect(ended.status == ExitStatus.usage.rawValue && ended.text.contains("caf\\xE9"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func tooFewOpenFilesAreReportedBeforeAnythingIsWritten() async throws {
        let folder = try TemporaryFolder()
        let ended = try await run(#"ulimit -n 24; exec "$0" sync demo --home "$1""#, [folder.file("home")])
        #expect(ended.status == ExitStatus.failed.rawValue && ended.text.contains("ulimit -n"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("home")))
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func thePermissionsOfAMirrorsFilesFollowTheUmask() async throws {
        let folder = try TemporaryFolder(), home = folder.file("home")
        let script = #"umask 002; exec "$0" sync demo --home "$1" --formats square"#
        #expect(try await run(script, [home]).status == 0)
        let manager = FileManager.default
        let names = try manager.subpathsOfDirectory(atPath: home)
        #expect(names.contains("demo/mirror.sqlite") && names.contains("demo/cache.sqlite"))
        for name in names {
            let attributes = try manager.attributesOfItem(atPath: "\(home)/\(name)")
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
            #expect(mode & 0o777 == (isFolder ? 0o775 : 0o664), "\(name)")
        }
    }

    // MARK: - The environment of commands in tests

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aCommandStartedByATestReachesNoOtherMachine() async throws {
        let folder = try TemporaryFolder()
        let script = #"exec "$0" sync p --from http://192.0.2.1/api/v1 --fail-fast --home "$1""#
        let ended = try await run(script, [folder.path])
        #expect(ended.status == ExitStatus.failed.rawValue)
        #expect(ended.text.contains("127.0.0.1:9"), "\(ended.text)")
    }

    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aCommandStartedByATestDoesNotUseTheUsersHomeFolder() async throws {
        let ended = try await run(#"exec "$0" status"#, [])
        let home = try #require(BuiltProgram.environment["HOME"])
        #expect(ended.text.contains("\(home)/"), "\(ended.text)")
        #expect(!FileManager.default.fileExists(atPath: home))
    }
}
