import Foundation
import MirrorTesting
import Testing

@testable import MirrorSimulation

/// What happens to the built binary when its disk fails it.
@Suite("A disk that fails") struct DiskTroubleTests {
    @Test(.enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."))
    func aRunEndsWithASentenceAndTheNextOneMakesItWhole() async throws {
        let place = try TemporaryFolder()
        let told = try await OwnThread.run { try Self.run(under: place.file("stage")) }
        #expect(told.full.status == 1 && !told.full.wasKilled)
        #expect(told.full.text.contains("Check its free space") || told.full.text.contains("is full"))
        #expect(told.full.text.split(separator: "\n").count == 1)
        #expect([1, 3].contains(told.gone.status) && !told.gone.wasKilled)
        #expect(told.gone.text.contains("mirror: "))
    }

    @Test(
        .enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."),
        .enabled(if: SmallDisk.isPossible, "No file system can be made here."))
    func oneThatFillsUpOrCannotBeWrittenLosesNothing() async throws {
        let place = try TemporaryFolder()
        let told = try await OwnThread.run { try Self.filling(under: place.file("stage")) }
        for (end, sentences) in zip(told, [["is full", "Check the disk's space"], ["can't be written"]]) {
            #expect(end.status == 1 && !end.wasKilled)
            let last = end.text.split(separator: "\n").last ?? ""
            #expect(last.hasPrefix("mirror: ") && sentences.contains { last.contains($0) }, "\(end.text)")
        }
    }

    /// What was there before is there still, and the same command does it all once there is room.
    @Test(
        .enabled(if: BuiltProgram.isThere, "The binary is not built beside the tests."),
        .enabled(if: SmallDisk.isPossible, "No file system can be made here."))
    func whatChangesAMirrorThatIsThereLosesNothingEither() async throws {
        let place = try TemporaryFolder()
        let told = try await OwnThread.run { try Self.changing(under: place.file("stage")) }
        for (kind, sealed, full) in told {
            let last = full[0].text.split(separator: "\n").last ?? ""
            #expect(full[0].status == 1 && last.hasPrefix("mirror: ") && last.contains("is full"), "\(kind)")
            #expect([0, 1].contains(full[1].status) && !full[1].wasKilled, "\(kind): \(full[1].text)")
            let why = kind == .migration ? "was made by an earlier version" : "can't be written"
            #expect(sealed.status == 1 && sealed.text.contains(why), "\(kind): \(sealed.text)")
        }
    }

    private static func changing(under folder: String) throws -> [(
        KillKind, MirrorProgram.End, full: [MirrorProgram.End]
    )] {
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 5, formats: "square",
            changes: 5_000)
        let place = "\(folder)/disk"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let disk = try SmallDisk(place, megabytes: 80)
        defer { try? disk.end() }
        let kinds: [KillKind] = [.update, .importChanges, .restore, .repair, .migration]
        let told = try kinds.enumerated().map { number, kind in
            let home = "\(place)/\(number)"
            try stage.copy(stage.home(for: kind), to: home)
            stage.route(kind)
            let command = KillTrial.command(stage, kind, home)
            try disk.seal(true)
            let sealed = try stage.program.run(command)
            try disk.seal(false)
            // Nothing can be opened; or it is, and what follows has no room, unless it was fast.
            let full = try [0, 0.1].map { seconds in
                if seconds == 0 { disk.fill() }
                let running = try stage.program.start(command), filled = DispatchGroup()
                if seconds > 0 {
                    filled.enter()
                    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
                        disk.fill()
                        filled.leave()
                    }
                }
                let end = try running.wait()
                filled.wait()
                try disk.makeRoom()
                return end
            }
            try stage.succeed(command)
            try stage.succeed(["verify", KillCatalogue.partner, "--read-data", "all", "--home", home])
            try FileManager.default.removeItem(atPath: home)
            return (kind, sealed, full)
        }
        try disk.end()
        try stage.end()
        return told
    }

    private static func filling(under folder: String) throws -> [MirrorProgram.End] {
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 2, formats: "square")
        let partner = KillCatalogue.partner, home = "\(folder)/disk"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let disk = try SmallDisk(home, megabytes: 80)
        defer { try? disk.end() }
        stage.route(.firstSync)
        stage.proxy.onAnswer(30) { disk.fill() }
        let full = try stage.program.run(stage.sync(home))
        try disk.makeRoom()
        try disk.seal(true)
        let sealed = try stage.program.run(stage.sync(home))
        try disk.seal(false)
        try stage.succeed(stage.sync(home))
        try stage.succeed(["verify", partner, "--read-data", "all", "--home", home])
        try disk.end()
        try stage.end()
        return [full, sealed]
    }

    private static func run(
        under folder: String
    ) throws -> (full: MirrorProgram.End, gone: MirrorProgram.End) {
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 2, formats: "square")
        let partner = KillCatalogue.partner

        // No file may have more than 100 kB.
        let small = "\(folder)/small", importing = ["import", stage.folder(of: .first), "--home", small]
        let limited = ["-c", "ulimit -f 200; exec \"$0\" \"$@\"", BuiltProgram.path] + importing
        let full = try MirrorProgram(path: "/bin/sh", environment: BuiltProgram.environment).run(limited)
        try stage.succeed(importing)
        try stage.succeed(["verify", partner, "--home", small])

        // Somebody puts a file where the folder of all media was.
        let home = "\(folder)/gone", media = "\(home)/\(partner)/media"
        stage.route(.firstSync)
        stage.proxy.onAnswer(30) { Self.putFile(inPlaceOf: media) }
        let gone = try stage.program.run(stage.sync(home))
        try FileManager.default.removeItem(atPath: media)
        try stage.succeed(stage.sync(home))
        try stage.succeed(["verify", partner, "--repair", "--read-data", "all", "--home", home])
        try stage.succeed(["verify", partner, "--read-data", "all", "--home", home])
        try stage.end()
        return (full, gone)
    }

    /// The run beside makes the folder again whenever it misses it: only one of some tries may be in time.
    private static func putFile(inPlaceOf folder: String) {
        for round in 0..<10_000 {
            _ = rename(folder, "\(folder).\(round)")
            let file = open(folder, O_CREAT | O_EXCL | O_WRONLY, 0o600)
            if file >= 0 {
                close(file)
                return
            }
        }
        Issue.record("The run was always faster.")
    }
}
